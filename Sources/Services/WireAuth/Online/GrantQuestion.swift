import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireSecrets
import WireService

/// Checks whether the server knows the client, by a token request without credentials of a user.
///
/// For flows without the authorization endpoint. A server checks the client first (RFC 6749, sections 3.2.1 and 5.2).
/// Where the answer is ambiguous, the check repeats the request as an unknown client; equal answers to both are
/// inconclusive.
struct GrantQuestion {
    let section: AuthSection
    let clientID: String
    let environment: String?
    let endpoint: String
    let grant: String

    func ask(_ means: OnlineMeans) async -> [OnlineFinding] {
        do throws(SignInFailure) {
            let answer = try await refusal(of: clientID, means)
            guard let code = answer.code else { return [inconclusive("status \(answer.status)")] }
            let path = section.clientPlace(in: environment)
            switch code {
            // Without its secret, a confidential client is refused like an unknown one.
            case "invalid_client" where !hasSecret: return [refused(answer, at: path)]
            case "unauthorized_client" where !hasSecret: return [refused(answer, at: (section.$flow, "auth.flow"))]
            case "unsupported_grant_type": return [refused(answer, at: (section.$flow, "auth.flow"))]
            default:
                guard let random = try? means.secrecy.random(8) else { return [] }
                let other = try await refusal(of: "corewire-\(Hexadecimal.text(of: random))", means)
                guard other.code == code, other.status == answer.status else { return [] }
                return [inconclusive("the error '\(code)', as for an unknown client")]
            }
        } catch {
            return [
                .unreached(at: section.$url, about: "auth.url", error.detail, isTrust: error.kind == .untrusted)
            ]
        }
    }

    private var hasSecret: Bool { section.clientSecret != nil || section.$clientSecret.state == .uncertain }

    private struct Answer {
        let status: Int
        /// Nil where the answer has no error code.
        let code: String?
        let detail: String
    }

    private func refusal(of client: String, _ means: OnlineMeans) async throws(SignInFailure) -> Answer {
        let line = OAuthTransport(client: means.client)
        let answer = try await line.post([("grant_type", grant), ("client_id", client)], to: endpoint)
        guard (400...499).contains(answer.status.code),
            let refusal = IdentityResponse.object(answer.bytes).flatMap({ ServerRefusal($0) }), refusal.code != nil
        else { return Answer(status: answer.status.code, code: nil, detail: "") }
        let failure = SignInFailure(refusal, on: .other, hiding: [])
        return Answer(status: answer.status.code, code: failure.serverCode, detail: failure.detail)
    }

    private func refused(_ answer: Answer, at setting: (place: Place, path: String)) -> OnlineFinding {
        OnlineFinding(
            .refusedClient,
            at: setting.place,
            about: setting.path,
            "\(setting.path): the token request of the client \(clientID.quoted) failed: \(answer.detail)"
                + (answer.code.map { " (\($0))" } ?? ""),
            help: "configure the client with the grant \(grant.quoted) at the server"
        )
    }

    private func inconclusive(_ answer: String) -> OnlineFinding {
        let (place, path) = section.clientPlace(in: environment)
        return OnlineFinding(
            .inconclusiveClient,
            at: place,
            about: path,
            "\(path): it is unknown whether the server knows the client: without a user, it responded with \(answer)"
        )
    }
}
