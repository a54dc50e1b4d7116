import WireBase
import WireConfig
import WireService

/// Finds the credentials for an Altcraft platform: the role token, or a JWT where there is none.
struct AltcraftKeys: Sendable {
    private let account: AltcraftRegistrar
    private let registrar: NamedRegistrar
    private let reconciler: RegistrationReconciler

    init(_ account: AltcraftRegistrar, _ registrar: NamedRegistrar, _ reconciler: RegistrationReconciler) {
        (self.account, self.registrar, self.reconciler) = (account, registrar, reconciler)
    }

    func authorization() async throws(Fault) -> AltcraftAuthorization {
        guard let secrecy = reconciler.host.find(.secrecy) else { throw Fault("no digests available in this runner") }
        if let token = account.roleToken {
            return try AltcraftAuthorization(
                roleToken: token.text,
                matchingMode: account.matchingMode?.text,
                with: secrecy
            )
        }
        let origin = reconciler.host.places.origin(of: account.$jwt, "\(registrar.path).jwt")
        let given: Secret<String>
        do throws(Fault) {
            given = try await jwt(origin)
        } catch {
            // A missing sign-in is no flaw of a token.
            if !waitsForSignIn { reconciler.record(flaw: .absent, of: registrar, because: error.reason) }
            throw error
        }
        do throws(Fault) {
            let authorization = try AltcraftAuthorization(jwt: given, with: secrecy)
            reconciler.record(flaw: nil, of: registrar, because: "")
            return authorization
        } catch {
            reconciler.record(flaw: AltcraftAuthorization.flaw(of: given), of: registrar, because: error.reason)
            throw Fault(error.reason, help: error.help, origin: origin)
        }
    }

    private var waitsForSignIn: Bool {
        switch account.jwt {
        case nil, .word(.auth)?: reconciler.host.uses.presence.map { $0.user == nil } ?? false
        default: false
        }
    }

    private func jwt(_ origin: ValueOrigin?) async throws(Fault) -> Secret<String> {
        switch account.jwt {
        // In an embedded environment the embedded issuer makes the JWTs.
        case nil, .word(.auth)?:
            if let presence = reconciler.host.uses.presence, presence.user == nil {
                throw presence.absence.fault
            }
            return try await supplied(.auth(.user), nil)
        case .word(.app)?:
            guard let text = try await reconciler.repository.tokens().jwts[registrar.name] else {
                throw Fault(
                    "the app has not set the JWT of the user",
                    help:
                        "run 'corewire push token jwt \(registrar.name)', or PUT /v1/push/registrars/\(registrar.name)/jwt"
                )
            }
            return Secret(text)
        case .shape(.file(let file))?: return try await supplied(.file(file.path), origin)
        case .shape(.variable(let name))?: return try await supplied(.variable(name.text), origin)
        case .shape(.program(let command))?:
            let call = ProgramCall(command.program, command.arguments.map(\.text))
            return try await supplied(.program(call, lifetime: .seconds(60)), origin)
        }
    }

    private func supplied(_ source: TokenOrigin, _ origin: ValueOrigin?) async throws(Fault) -> Secret<String> {
        guard let sources = reconciler.host.find(.tokenSources) else {
            throw Fault("no token sources available in this runner")
        }
        let supply = sources.supply(source, timeLimit: .seconds(30), from: origin)
        return try await supply.token(minimumLifetime: .seconds(30)).value
    }
}
