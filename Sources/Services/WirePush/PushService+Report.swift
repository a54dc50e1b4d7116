import WireBase
import WireConfig
package import WirePushContract
import WireService

/// The state of push registration for callers.
extension PushService {
    package func report() async throws(PushFailure) -> PushReport {
        let kept = try await kept { () async throws(Fault) in try await reconciler.repository.tokens() }
        var tokens = reconciler.tokens.last.map {
            PushReport.Token(provider: $0.provider.rawValue, ending: $0.ending, isManual: false)
        }
        if let manual = kept.manual {
            tokens.removeAll { $0.provider == manual.provider.rawValue }
            tokens.append(.init(provider: manual.provider.rawValue, ending: manual.ending, isManual: true))
        }
        return PushReport(
            providers: reconciler.tokens.order(kept).map(\.rawValue),
            tokens: tokens,
            registrars: await registrars()
        )
    }

    package func registrars() async -> [PushRegistrarReport] {
        await reconciler.registrars.asyncMap(report)
    }

    func report(_ registrar: NamedRegistrar) async -> PushRegistrarReport {
        PushRegistrarReport(registrar, await registrarStatus(of: registrar), at: reconciler.origin(of: registrar))
    }

    func registrarStatus(of registrar: NamedRegistrar) async -> RegistrarStatus {
        var registrarStatus = reconciler.registrarStatus(registrar.name)
        // The stored record may be newer than the last check.
        if let tag = registrarStatus.tag,
            let kept = try? await reconciler.repository.registration(registrar.name, tag)
        {
            registrarStatus.registration = kept
            if kept.asked == nil, let waiting = registrarStatus.waiting, waiting.kind == .outbox, !waiting.isTrouble {
                registrarStatus.waiting = nil
            }
        }
        return registrarStatus
    }
}

extension PushRegistrarReport {
    fileprivate init(_ registrar: NamedRegistrar, _ registrarStatus: RegistrarStatus, at origin: ValueOrigin?) {
        self.init(registrar.name, type: registrar.type, registrarStatus.state)
        let (waiting, told) = (registrarStatus.waiting, registrarStatus.registration.acknowledged)
        let refusal = [.refused, .failed].contains(registrarStatus.state) ? registrarStatus.registration.refusal : nil
        waitsFor = waiting?.kind
        reason = refusal?.reason ?? waiting?.fault.reason
        (status, refused) = (refusal?.status, refusal?.kind.rawValue)
        help = waiting?.fault.help
        if refusal != nil { help = "run 'corewire push register \(registrar.name)' to try again" }
        if refusal != nil || waiting != nil { self.origin = waiting?.fault.origin ?? origin }
        (provider, token) = (told?.token.provider.rawValue, told?.token.ending)
        nextToken = registrarStatus.token == told?.token ? nil : registrarStatus.token?.ending
        (since, self.registeredAt, user) = (told?.since, told?.at, registrarStatus.tag)
    }
}
