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
        condition: "the server has disabled this version of the app",
        reads: "the mobile security service (POST /api/init)",
        advice: """
            The server's message is shown. The request contains a random id of this installation, the id and version \
            of the app, and the version of the system. If the server cannot be reached, its last response counts, \
            unless 'offline' says otherwise.
            """,
        usual: .seconds(3_600)
    )

    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings {
        let answer: VersionVerdict
        do throws(Fault) {
            answer = try await context.versions.ask(url)
        } catch {
            guard offline == .lastAnswer else { throw error }
            guard let last = try await context.versions.last else { return .clear }
            answer = last
        }
        guard answer.isDisabled else { return .clear }
        let message = answer.message.isEmpty ? "without a reason" : "with the message \(answer.message.quoted)"
        return RuleFindings(evidence: ["the server has disabled version \(answer.version), \(message)"])
    }
}

/// A security service's verdict on a version.
struct VersionVerdict: Sendable, Equatable {
    let version: String
    let isDisabled: Bool
    let message: String
}

/// Asks a security service whether a version may run.
protocol VersionAsking: Sendable {
    /// The last verdict; nil for none.
    var last: VersionVerdict? { get async throws(Fault) }
    func ask(_ address: Address) async throws(Fault) -> VersionVerdict
}

/// AeroGear's mobile security service.
struct MobileSecurityService: VersionAsking {
    let host: ServiceHost
    let probes: any MachineProbes
    static let formerSpace = "corewire/security"
    private var space: String { "corewire/security/\(host.environmentScope)" }

    var last: VersionVerdict? {
        get async throws(Fault) {
            let entry = try await Fault.wrapping { () async throws(StoreFailure) in
                try await host.stores.device.values.entry("version", in: space)
            }
            guard let entry else { return nil }
            guard let value = try? JSONValue(parsing: entry.bytes, named: "the answer"),
                let verdict = Self.verdict(value)
            else { throw Fault("the stored response of the security service cannot be read") }
            // A verdict on another version does not count.
            return verdict.version == host.app?.version ? verdict : nil
        }
    }

    /// The address of the service, or of the embedded server that replaces it.
    private func base(_ address: Address) throws(Fault) -> String {
        if address.isStoodInFor {
            guard let built = host.find(.embeddedSecurity)?.address else {
                throw Fault("the embedded server has not started")
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
            throw Fault("the file has no id or version of the app")
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
            throw Fault("the security service cannot be reached: \(failure.reason)")
        } catch {
            throw Fault("the response of the security service was cut off")
        }
        guard status.code == 200, let value = try? JSONValue(parsing: bytes, named: "the answer"),
            let verdict = Self.verdict(value)
        else {
            let said =
                (try? JSONValue(parsing: bytes, named: "the answer"))?["message"]?.string.map {
                    ", saying \($0.quoted)"
                } ?? ""
            throw Fault("the security service responded with status \(status.code)\(said)")
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
        // A lost verdict matters only if the next request fails too.
        _ = try? await host.stores.device.values.put(bytes, under: "version", in: space, if: .always)
    }

    /// The id of this installation.
    private func installation(_ app: AppSection) async throws(Fault) -> String {
        do {
            // Former versions had one for all environments.
            if let entry = try await host.stores.device.values.entry("installation", in: Self.formerSpace) {
                return String(decoding: entry.bytes, as: UTF8.self)
            }
            return try await InstallIdentity(host).id(of: "security", app.id.text)
        } catch {
            throw Fault("could not save the id of this installation")
        }
    }
}
