import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireNetworkContract
import WireSecrets
import WireService

/// The online checks of an identity server.
struct IssuerQuestions: Sendable {
    let section: AuthSection
    let issuer: String
    let environment: String?
    /// Nil where the client id is an unresolved reference.
    let settings: ServerSettings?

    func ask(_ means: OnlineMeans) async -> [OnlineFinding] {
        let line = OAuthTransport(client: means.client)
        var findings: [OnlineFinding] = []
        let metadata: ServerMetadata
        do throws(SignInFailure) {
            let sent = means.clock.wall()
            let answer = try await ServerDiscovery.find(issuer) { (address) async throws(SignInFailure) in
                try await line.get(address, upTo: ServerMetadata.limit)
            }
            findings += clock(answer, sent: sent, received: means.clock.wall())
            guard let read = read(answer, &findings) else { return findings }
            metadata = read
        } catch {
            return findings + [failure(error)]
        }
        findings += await keys(of: metadata, line)
        let rules = MetadataRules(section: section, metadata: metadata)
        findings += rules.findings()
        guard let settings, section.mode != .app else { return findings }
        guard rules.asksInBrowser else {
            let question = GrantQuestion(
                section: section,
                clientID: settings.clientID,
                environment: environment,
                endpoint: metadata.tokenEndpoint,
                grant: rules.grant
            )
            return findings + (await question.ask(means))
        }
        if !metadata.lacksS256 {
            let question = ClientQuestion(
                section: section,
                settings: settings,
                environment: environment,
                metadata: metadata
            )
            findings += await question.ask(means)
        }
        return findings
    }

    // MARK: The discovery document

    private func read(_ answer: IdentityResponse, _ findings: inout [OnlineFinding]) -> ServerMetadata? {
        // A proxy may hide Keycloak's document, whose endpoints are known; a wrong realm shows in its keys.
        if section.provider == .keycloak, [401, 403].contains(answer.status.code) { return .ofKeycloak(realm: issuer) }
        do throws(SignInFailure) {
            try answer.expectDocument("the discovery document")
            let object = try answer.object()
            do throws(SignInFailure) {
                return try ServerMetadata(object, of: issuer)
            } catch  where error.kind == .wrongIssuer {
                findings.append(wrongIssuer(object["issuer"]?.string ?? "", error))
                return nil
            }
        } catch {
            findings.append(failure(error))
            return nil
        }
    }

    /// The finding for a missing or invalid document.
    private func failure(_ error: SignInFailure) -> OnlineFinding {
        switch error.kind {
        case .offline, .abandoned: return unreached(error, isTrust: false)
        case .untrusted: return unreached(error, isTrust: true)
        default:
            let isRealm = error.status?.code == 404 && section.provider == .keycloak
            let (place, path) = isRealm ? (section.$realm, "auth.realm") : (section.$url, "auth.url")
            let isMember = error.status == nil
            return OnlineFinding(
                .noDiscovery,
                at: place,
                about: path,
                "\(path): \(error.detail)",
                help: "requested \(ServerDiscovery.address(of: issuer))",
                isRealm
                    ? "Keycloak responds so for an unknown realm; before version 17 its url ends in /auth"
                    : isMember ? nil : "set the URL to which '/.well-known/openid-configuration' is appended"
            )
        }
    }

    private func unreached(_ error: SignInFailure, isTrust: Bool) -> OnlineFinding {
        .unreached(at: section.$url, about: "auth.url", error.detail, isTrust: isTrust)
    }

    private func wrongIssuer(_ named: String, _ error: SignInFailure) -> OnlineFinding {
        OnlineFinding(
            .wrongIssuer,
            at: section.$url,
            about: "auth.url",
            "auth.url: \(error.detail)",
            help: settingHelp(for: named)
        )
    }

    /// The setting that makes the issuer match the server's own name.
    private func settingHelp(for named: String) -> Advice {
        let other: Advice = "if the server is right, correct the issuer in its configuration"
        guard (try? IdentityProvider.checked(named)) != nil else { return other }
        switch section.provider {
        case .oidc: return "write \(setting: "url: \(named)", of: "auth") to use that server"
        case .auth0: return "write \(setting: "url: \(named)", of: "auth") to use that tenant"
        case .keycloak, .halo:
            let parts = named.split(separator: "/realms/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty, !parts[1].contains("/"), !parts[1].contains("%") else {
                return other
            }
            return
                "write \(setting: "url: \(parts[0])", of: "auth") and \(setting: "realm: \(parts[1])", of: "auth") to use that realm"
        }
    }

    // MARK: Its clock

    /// The server's `Date` lies between the times of the request and the response, give or take.
    private func clock(_ answer: IdentityResponse, sent: Int64, received: Int64) -> [OnlineFinding] {
        // A cached response has the time at which it was cached.
        guard answer.fields["Age"] == nil, let date = answer.fields["Date"].flatMap({ HTTPDate(parsing: $0) }),
            section.$leeway.state != .uncertain
        else { return [] }
        let leeway = section.leeway.inMicroseconds / 1_000
        let said = date.seconds * 1_000
        // The field has whole seconds.
        let ahead = said - received
        let behind = sent - (said + 999)
        guard max(ahead, behind) > leeway else { return [] }
        let seconds = max(ahead, behind) / 1_000
        return [
            OnlineFinding(
                .clockDifference,
                at: section.$url,
                about: "auth.url",
                "auth.url: the server's clock is \(seconds) seconds \(ahead > behind ? "ahead of" : "behind") this machine's, "
                    + "leeway is \(leeway / 1_000) seconds"
            )
        ]
    }

    // MARK: Its keys

    private func keys(of metadata: ServerMetadata, _ line: OAuthTransport) async -> [OnlineFinding] {
        guard !metadata.idTokenAlgorithms.isEmpty else {
            return [noKey("the server announces no supported algorithm for ID tokens")]
        }
        let answer: IdentityResponse
        do throws(SignInFailure) {
            answer = try await line.get(metadata.keysURL, upTo: JSONWebKeySet.mostBytes)
            try answer.expectDocument("the keys of the server")
        } catch {
            return [noKey("the keys of the server: \(error.detail)", at: metadata)]
        }
        do throws(JOSEFailure) {
            let keys = try JSONWebKeySet(parsing: answer.bytes)
            let isUsable = keys.keys.contains { key in
                metadata.idTokenAlgorithms.contains {
                    (key.algorithm == nil || key.algorithm == $0) && key.key.canCheck($0)
                }
            }
            guard !isUsable else { return [] }
            let reason = keys.passedOver.first.map { "; the first: \($0)" } ?? ""
            let count = keys.keys.count + keys.passedOver.count
            return [noKey("none of the \(count) keys of the server can verify its ID tokens\(reason)", at: metadata)]
        } catch {
            return [noKey("the keys of the server: \(error.reason)", at: metadata)]
        }
    }

    private func noKey(_ reason: String, at metadata: ServerMetadata? = nil) -> OnlineFinding {
        OnlineFinding(
            .noUsableKey,
            at: section.$url,
            about: "auth.url",
            "auth.url: \(reason)",
            help: metadata.map { "requested \($0.keysURL.shown(upTo: 200))" }
        )
    }
}
