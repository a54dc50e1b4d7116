import WireConfig
import WireService

/// Removes whatever is kept of registrations; those of other environments only where everything is to go.
struct PushClearing: Clearing {
    let service: PushService

    func clear(_ scope: ClearingScope) async throws(Fault) -> [Cleared] {
        let removed: PushService.Removed
        do throws(PushRefusal) {
            removed = try await service.clear(everybody: scope != .user)
        } catch {
            throw Fault(error.reason, help: error.help, origin: error.origin)
        }
        var cleared = [
            Cleared("push registrations", removed.registrations.count), Cleared("push tokens", removed.tokens),
            Cleared("JWTs of push servers", removed.jwts),
        ]
        if scope == .all {
            cleared.append(
                Cleared("notes about push of other environments", try await service.desk.keeper.forgetOthers())
            )
        }
        return cleared
    }
}
