import WireBase
import WireConfig
package import WirePushContract
import WireService

/// The state of push registration for callers.
extension PushService {
    package var report: PushReport {
        let kept = (try? desk.keeper.tokens()) ?? StoredTokens()
        var tokens = desk.tokens.last.map {
            PushReport.Token(provider: $0.provider.rawValue, ending: $0.ending, isManual: false)
        }
        if let manual = kept.manual {
            tokens.removeAll { $0.provider == manual.provider.rawValue }
            tokens.append(.init(provider: manual.provider.rawValue, ending: manual.ending, isManual: true))
        }
        return PushReport(
            providers: desk.tokens.order(kept).map(\.rawValue),
            tokens: tokens,
            registrars: registrars
        )
    }

    package var registrars: [PushRegistrarReport] { desk.registrars.map(report) }

    func report(_ registrar: NamedRegistrar) -> PushRegistrarReport {
        PushRegistrarReport(registrar, standing(of: registrar), at: desk.origin(of: registrar))
    }

    func standing(of registrar: NamedRegistrar) -> RegistrarStatus {
        var standing = desk.standing(registrar.name)
        // The stored record may be newer than the last check.
        if let tag = standing.tag, let kept = try? desk.keeper.registration(registrar.name, tag) {
            standing.registration = kept
            if kept.asked == nil, let waiting = standing.waiting, waiting.kind == .outbox, !waiting.isTrouble {
                standing.waiting = nil
            }
        }
        return standing
    }
}

extension PushRegistrarReport {
    fileprivate init(_ registrar: NamedRegistrar, _ standing: RegistrarStatus, at origin: ValueOrigin?) {
        self.init(registrar.name, type: registrar.type, standing.state)
        let (waiting, told) = (standing.waiting, standing.registration.told)
        let refusal = [.refused, .failed].contains(standing.state) ? standing.registration.refusal : nil
        waitsFor = waiting?.kind
        reason = refusal?.reason ?? waiting?.fault.reason
        (status, refused) = (refusal?.status, refusal?.kind.rawValue)
        help = waiting?.fault.help
        if refusal != nil { help = "run 'corewire push register \(registrar.name)' to try again" }
        if refusal != nil || waiting != nil { self.origin = waiting?.fault.origin ?? origin }
        (provider, token) = (told?.token.provider.rawValue, told?.token.ending)
        nextToken = standing.token == told?.token ? nil : standing.token?.ending
        (since, self.told, user) = (told?.since, told?.at, standing.tag)
    }
}
