import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService

/// Checks whether the server knows the client of the file, by an authorization request with `prompt=none`.
///
/// The server's answer is an error sent to the redirect URI (OpenID Connect Core, section 3.1.2.6); a redirect URI that
/// is not the client's gets none (RFC 6749, section 4.1.2.1). The redirect is not followed.
struct ClientQuestion {
    let section: AuthSection
    let settings: ServerSettings
    let environment: String?
    let metadata: ServerMetadata

    /// Stands for the port that is chosen at sign-in; servers accept any port (RFC 8252, section 7.3).
    private static let loopbackPort = 49_152
    private static let mostBytes = ByteCount.kibibytes(64)

    func ask(_ means: OnlineMeans) async -> [OnlineFinding] {
        guard section.$redirectURI.state != .uncertain, section.$scopes.state != .uncertain,
            section.$audience.state != .uncertain, section.$parameters.state != .uncertain,
            let pending = pending(means)
        else { return [] }
        var request = OutgoingRequest(.get, pending.url)
        request.fields["Accept"] = "text/html"
        do throws(TransferFailure) {
            let response = try await means.client.send(request)
            switch response.status.code {
            case 300...399: return redirected(to: response.fields["Location"] ?? "", pending)
            case 400...499:
                let page = try? await response.body.collect(upTo: Self.mostBytes)
                return [refused(response.status, page: page ?? [], pending)]
            default: return [inconclusive("status \(response.status.code)")]
            }
        } catch {
            let failure = SignInFailure(error)
            return [
                .unreached(
                    at: section.$url,
                    about: "auth.url",
                    failure.detail,
                    isTrust: failure.kind == .untrusted
                )
            ]
        }
    }

    private func pending(_ means: OnlineMeans) -> PendingAuthorization? {
        guard let state = try? means.secrecy.random(32), let nonce = try? means.secrecy.random(32),
            let verifier = try? means.secrecy.random(32).map({ $0 }),
            let challenge = try? means.secrecy.digest(Array(Base64URL.text(of: verifier).utf8))
        else { return nil }
        let parameters = settings.parameters.filter { $0.name != "prompt" } + [("prompt", "none")]
        return PendingAuthorization(
            url: settings.authorizationURL(
                at: metadata.authorizationEndpoint,
                redirectURI: redirectURI,
                state: Base64URL.text(of: state),
                nonce: Base64URL.text(of: nonce),
                challenge: Base64URL.text(of: challenge.bytes),
                adding: parameters
            ),
            redirectURI: redirectURI,
            state: Base64URL.text(of: state),
            nonce: Base64URL.text(of: nonce),
            verifier: Secret(Base64URL.text(of: verifier)),
            issuer: settings.issuer
        )
    }

    private var redirectURI: String {
        guard case .loopback(let url) = section.redirectURI, url.port == nil else {
            return section.redirectURI.description
        }
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        return "\(url.scheme)://\(host):\(Self.loopbackPort)\(url.path)" + (url.query.map { "?\($0)" } ?? "")
    }

    // MARK: Interpreting the answer

    private func redirected(to location: String, _ pending: PendingAuthorization) -> [OnlineFinding] {
        guard location.hasPrefix(pending.redirectURI) else { return [inconclusive("a redirect to another page")] }
        do throws(SignInFailure) {
            _ = try AuthorizationAnswer(location, to: pending, mustNameIssuer: metadata.announcesIssuer)
            return []
        } catch {
            switch error.kind {
            // The server knows the client and its redirect URI, and no user is signed in.
            case .loginRequired, .interactionRequired, .accountSelectionRequired, .consentRequired, .accessDenied,
                .secondFactor:
                return []
            case .serverError, .temporarilyUnavailable: return [inconclusive("another error")]
            default: return [refused(error)]
            }
        }
    }

    private func refused(_ error: SignInFailure) -> OnlineFinding {
        let (place, path) = setting(error.setting)
        let code = error.serverCode.map { " (\($0))" } ?? ""
        return OnlineFinding(
            .refusedClient,
            at: place,
            about: path,
            "\(path): the authorization request of the client \(settings.clientID.quoted) failed: \(error.detail)\(code)"
        )
    }

    /// An error page: only its text says whether the client or the redirect URI is unknown.
    private func refused(_ status: Status, page: [UInt8], _ pending: PendingAuthorization) -> OnlineFinding {
        let words = String(decoding: page, as: UTF8.self).lowercased()
        let isRedirect = ["redirect_uri", "redirect uri", "redirect-uri", "redirecturi"].contains(where: words.contains)
        let (place, path) = setting(isRedirect ? .redirectURI : .clientID)
        return OnlineFinding(
            .refusedClient,
            at: place,
            about: path,
            "\(path): the server rejects the client \(settings.clientID.quoted) with the redirect URI "
                + "\(pending.redirectURI.quoted) (status \(status.code))",
            help: "register both at the server; the redirect URI must match exactly"
        )
    }

    private func inconclusive(_ answer: String) -> OnlineFinding {
        let (place, path) = setting(.clientID)
        return OnlineFinding(
            .inconclusiveClient,
            at: place,
            about: path,
            "\(path): it is unknown whether the server knows the client: without a user, it responded with \(answer)"
        )
    }

    private func setting(_ setting: SignInFailure.Setting?) -> (Place, String) {
        switch setting {
        case .redirectURI: return (section.$redirectURI, "auth.redirectUri")
        case .scopes: return (section.$scopes, "auth.scopes")
        case .audience: return (section.$audience, "auth.audience")
        case .audiences: return (section.$audiences, "auth.audiences")
        case .parameters: return (section.$parameters, "auth.parameters")
        case .url, .realm: return (section.$url, "auth.url")
        default: return section.clientPlace(in: environment)
        }
    }
}

extension AuthSection {
    /// The place in the file of the client id of an environment.
    func clientPlace(in environment: String?) -> (Place, String) {
        guard let item = clientIDs?.items.first(where: { $0.name == environment }) else {
            return ($clientID, "auth.clientId")
        }
        return (item.place, "auth.clientIds.\(item.name)")
    }
}
