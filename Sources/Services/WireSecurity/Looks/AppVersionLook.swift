import WireBackendContract
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireSecurityContract
import WireService
import WireStore

extension AppVersionRule {
    static let card = RuleCard(
        title: "App Version Check",
        condition: "the server has switched this version of the app off",
        reads: "what the mobile security service answers (POST /api/init)",
        advice: """
            The server's own message is shown. It is asked with a random id of this installation, the id and the version of \
            the app, and the version of the system. Where it cannot be reached, its last answer counts, unless 'offline' \
            says otherwise.
            """,
        usual: .seconds(3_600)
    )

    func look(_ scene: Scene) async throws(Fault) -> Sighting {
        let answer: VersionVerdict
        do throws(Fault) {
            answer = try await scene.versions.ask(url)
        } catch {
            guard offline == .lastAnswer else { throw error }
            guard let last = scene.versions.last else { return .clear }
            answer = last
        }
        guard answer.isDisabled else { return .clear }
        let message = answer.message.isEmpty ? "without saying why" : "saying \(answer.message.quoted)"
        return Sighting(evidence: ["the server has switched version \(answer.version) off, \(message)"])
    }
}

/// What a security service says of a version.
struct VersionVerdict: Sendable, Equatable {
    let version: String
    let isDisabled: Bool
    let message: String
}

/// Asks a security service whether a version may run.
protocol VersionAsking: Sendable {
    /// What it said last; nil where it never did.
    var last: VersionVerdict? { get }
    func ask(_ address: Address) async throws(Fault) -> VersionVerdict
}

/// AeroGear's mobile security service.
struct MobileSecurityService: VersionAsking {
    let host: ServiceHost
    let probes: any MachineProbes
    static let formerSpace = "corewire/security"
    private var space: String { "corewire/security/\(host.environmentScope)" }

    var last: VersionVerdict? {
        guard let entry = try? host.stores.values.entry("version", in: space),
            let value = try? JSONValue(parsing: entry.bytes, named: "the answer")
        else { return nil }
        // What was said of another version says nothing of this one.
        guard let verdict = Self.verdict(value), verdict.version == host.app?.version else { return nil }
        return verdict
    }

    /// Where the service is: the one built in stands for that of the file.
    private func base(_ address: Address) throws(Fault) -> String {
        if address.isStoodInFor {
            guard let built = host.find(.embeddedSecurity)?.address else {
                throw Fault("the server built in has not started")
            }
            return built
        }
        guard let url = address.absolute ?? host.facts.baseURL.flatMap({ address.resolved(against: $0) }) else {
            throw Fault("\(address.text.quoted) is below a base URL, and the environment has none")
        }
        return url.description
    }

    func ask(_ address: Address) async throws(Fault) -> VersionVerdict {
        let url = try base(address)
        guard let client = host.find(.httpClient), let app = host.app, let version = app.version else {
            throw Fault("the file does not say which app and version this is")
        }
        var request = OutgoingRequest(.post, url + (url.hasSuffix("/") ? "api/init" : "/api/init"))
        request.fields["Content-Type"] = "application/json"
        request.deadline = .seconds(10)
        let body = JSONValue.members([
            "deviceId": .string(try await installation(app)), "appId": .string(app.id.text),
            "deviceType": .string("linux"),
            "deviceVersion": .string(try probes.kernelRelease()), "version": .string(version),
        ])
        request.body = .bytes(body.bytes())
        let status: Status
        let bytes: [UInt8]
        do {
            let answer = try await client.send(request)
            status = answer.status
            bytes = try await answer.body.collect(upTo: .kibibytes(256))
        } catch let failure as TransferFailure {
            throw Fault("the security service cannot be asked: \(failure.reason)")
        } catch {
            throw Fault("the answer of the security service broke off")
        }
        guard status.code == 200, let value = try? JSONValue(parsing: bytes, named: "the answer"),
            let verdict = Self.verdict(value)
        else {
            let said =
                (try? JSONValue(parsing: bytes, named: "the answer"))?["message"]?.string.map {
                    ", saying \($0.quoted)"
                } ?? ""
            throw Fault("the security service answered \(status.code)\(said)")
        }
        await keep(verdict)
        return verdict
    }

    private static func verdict(_ value: JSONValue) -> VersionVerdict? {
        guard case .boolean(let isDisabled)? = value["disabled"], let version = value["version"]?.string else {
            return nil
        }
        let message = value["disabledMessage"]?.string ?? ""
        return VersionVerdict(version: version, isDisabled: isDisabled, message: message)
    }

    private func keep(_ verdict: VersionVerdict) async {
        let value = JSONValue.members([
            "version": .string(verdict.version), "disabled": .boolean(verdict.isDisabled),
            "disabledMessage": .string(verdict.message),
        ])
        let bytes = NewValue(value.bytes(), type: "application/json")
        // It is only lost if the server cannot be asked the next time either.
        _ = try? await host.stores.values.put(bytes, under: "version", in: space, if: .always)
    }

    /// The id this install goes by.
    private func installation(_ app: AppSection) async throws(Fault) -> String {
        do {
            // Former versions made one for all environments.
            if let entry = try host.stores.values.entry("installation", in: Self.formerSpace) {
                return String(decoding: entry.bytes, as: UTF8.self)
            }
            return try await InstallIdentity(host).id(of: "security", app.id.text)
        } catch {
            throw Fault("the id of this installation cannot be kept")
        }
    }
}
