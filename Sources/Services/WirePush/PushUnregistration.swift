import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WirePushContract
import WireService
import WireTelemetry

/// Asks servers to end registrations at once, while their owners and tokens are still known.
///
/// The data is removed even where a server cannot be reached: the registration must then be ended at the server.
struct PushUnregistration: Sendable {
    let reconciler: RegistrationReconciler
    let service: PushService

    /// The timeout for a server: a caller waits for it.
    private static let patience = Duration.seconds(5)

    /// Ends the registrations of users, or of all; returns how many servers have ended theirs and how many have not.
    func perform(onlyUsers: Bool) async -> (ended: Int, left: Int) {
        await withTaskGroup(of: Bool?.self) { group in
            for registrar in reconciler.registrars { group.addTask { await end(registrar, onlyUsers) } }
            var (ended, left) = (0, 0)
            for await result in group {
                if result == true { ended += 1 } else if result == false { left += 1 }
            }
            return await (ended, left + others())
        }
    }

    /// Ends one registration; nil where there is none.
    private func end(_ registrar: NamedRegistrar, _ onlyUsers: Bool) async -> Bool? {
        // A token on the device goes with the device.
        if registrar.value.deviceTokens != nil { return nil }
        guard let owner = try? await reconciler.owner(of: registrar), !onlyUsers || StoredTokens.isPerson(owner.tag)
        else { return nil }
        do throws(Fault) {
            let registration = try await reconciler.repository.registration(registrar.name, owner.tag)
            guard let told = registration.acknowledged else { return nil }
            var registrarStatus = reconciler.registrarStatus(registrar.name)
            (registrarStatus.registration, registrarStatus.server) = (registration, told.server)
            var moment = try await reconciler.moment(for: registrar, registrarStatus, id: UUIDText.random())
            moment.token = told.token
            let operation = PushOperation(
                .unregister,
                registrar.name,
                tag: owner.tag,
                time: reconciler.host.clock.wall()
            )
            guard let call = owner.wire.call(operation, moment) else { return false }
            try await Fault.wrapping { () async throws(PushFailure) in
                _ = try await service.answer(to: call, of: registrar, within: Self.patience)
            }
            return true
        } catch {
            reconciler.host.log.warning(
                "a push server may still have this device registered",
                ["registrar": .text(registrar.name), "reason": .text(error.reason)]
            )
            return false
        }
    }

    /// Counts the registrations of former users, whose tokens are gone; one that cannot be read counts.
    private func others() async -> Int {
        do throws(Fault) {
            return try await reconciler.repository.registrations().count(where: { listed in
                guard StoredTokens.isPerson(listed.tag),
                    reconciler.registrarStatus(listed.registrar).tag != listed.tag
                else { return false }
                if case .success(let registration) = listed.registration { return registration.acknowledged != nil }
                return true
            })
        } catch {
            reconciler.host.log.warning(
                "the push registrations of former users cannot be counted",
                ["reason": .text(error.reason)]
            )
            return 0
        }
    }
}
