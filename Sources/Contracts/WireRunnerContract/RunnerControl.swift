package import WireBase
package import WireConfig
import WireHTTP
package import WireService
package import WireTelemetry

/// What may be asked of the runner while it runs: the side of it that the local API, the console and programs see.
package protocol RunnerControl: Sendable {
    /// How everything is, as a snapshot.
    var status: RunnerStatus { get }
    /// How everything is, with how the files on disk stand to what was loaded of them, which are looked at for it.
    var statusWithFiles: RunnerStatus { get }
    /// What happened lately, and what happens.
    var events: EventHub { get }
    /// What a change would do, without doing it.
    func plan(_ change: RequestedChange) async -> ChangeReport
    /// Makes the next generation beside the present one, and swaps.
    func apply(_ change: RequestedChange) async -> ChangeReport
    /// Ends the runner, in order, and has the program say why.
    func end(because fault: Fault)
    /// Keeps a generation that waits to be confirmed; false where none does. It throws where the store does not take that.
    func confirm() async throws(Fault) -> Bool
    /// The generations that are kept, latest first.
    func generations() async -> [GenerationRecord]
    /// What a generation was made of, secrets redacted; nil for one that is not kept.
    func effectiveFile(of generation: Int) async -> String?
}

extension Ability where Value == any RunnerControl {
    /// The runner itself.
    package static var runnerControl: Self { Self(Provision(.runner, "control")) }
}

/// A change somebody asks for.
package struct RequestedChange: Sendable {
    package enum Target: Sendable, Hashable {
        /// The file as it is now, in the environment that runs.
        case file
        /// Another environment of the file, or the URL of one it does not declare.
        case environment(String)
        /// What an earlier generation was made of.
        case generation(Int)
    }

    package var target: Target
    package var origin: ChangeOrigin
    /// Whether services that have not changed are restarted too.
    package var isForced = false
    /// How long somebody has to confirm it before it is taken back.
    package var confirmWithin: Duration?
    /// The content that must be the present one for the change to happen.
    package var expectedHash: String?

    package init(_ target: Target, origin: ChangeOrigin) {
        self.target = target
        self.origin = origin
    }
}

/// Who asked for a generation.
package enum ChangeOrigin: String, JSONWord, PlainCodable {
    case start, signal, api, program, confirmation
}

/// What became of a change, told to whoever asked for it.
package struct ChangeReport: Sendable {
    package enum Outcome: String, JSONWord, PlainCodable {
        /// The next generation runs.
        case applied
        /// Nothing differs, so nothing was done.
        case unchanged
        /// What would be done; nothing was.
        case planned
        /// The file is not valid; the present generation goes on.
        case rejected
        /// Something did not become ready; the present generation goes on.
        case rolledBack
        /// The condition of the request does not hold.
        case conflict
    }

    package var outcome: Outcome
    /// The generation that runs now, and the hash of its content.
    package var generation: Int
    package var environment: String?
    /// Where its servers are, for an environment that the file does not declare.
    package var url: String?
    package var hash: String
    package var services: [ServiceChange] = []
    package var settings: [SettingChange] = []
    /// Why it was not done, in one sentence.
    package var reason: String?
    /// What is wrong with the file, as `validate-config --format json` tells it, and as text for people.
    package var diagnostics: JSONValue?
    package var diagnosticsText: String?
    package var duration: Duration = .zero
    /// How long there is to confirm it.
    package var confirmWithin: Duration?

    package init(outcome: Outcome, generation: Int, environment: String?, url: String? = nil, hash: String) {
        self.outcome = outcome
        self.generation = generation
        self.environment = environment
        self.url = url
        self.hash = hash
    }

    /// What is wrong, each in one line: where, by which code, and what.
    package var problems: [String] {
        let told = (diagnostics?["problems"]?.array ?? []).filter { $0["severity"]?.string == "error" }.map { problem in
            let place = problem["place"].flatMap { place in
                place["file"]?.string.map { "\($0):\(place["line"]?.integer ?? 0):\(place["column"]?.integer ?? 0): " }
            }
            return "\(place ?? "")\(problem["code"]?.string ?? ""): \(problem["message"]?.string ?? "")"
        }
        let faults = services.compactMap { service in
            service.fault.map { fault in "\(fault.origin.map { "\($0.place): " } ?? "")\(service.name): \(fault.reason)"
            }
        }
        return told + faults
    }

    package struct ServiceChange: Sendable {
        package enum Action: String, JSONWord, PlainCodable { case keep, rebind, restart, start, stop }
        package let name: String
        package let action: Action
        package var duration: Duration?
        /// What the service that is let go still does.
        package var inFlight: Int
        /// Whether it runs only while somebody is signed in, unless the file allows anonymous use.
        package var needsUser: Bool
        /// The keys that are not what they were, or what else it comes from.
        package var cause: String?
        package var fault: Fault?

        package init(
            name: String,
            action: Action,
            duration: Duration? = nil,
            inFlight: Int = 0,
            needsUser: Bool = false,
            cause: String? = nil,
            fault: Fault? = nil
        ) {
            self.name = name
            self.action = action
            self.duration = duration
            self.inFlight = inFlight
            self.needsUser = needsUser
            self.cause = cause
            self.fault = fault
        }
    }

    /// A setting that is not what it was; secrets are redacted.
    package struct SettingChange: Sendable {
        package let path: String
        package let old: String?
        package let new: String?
        package let place: String?

        package init(path: String, old: String?, new: String?, place: String?) {
            self.path = path
            self.old = old
            self.new = new
            self.place = place
        }
    }
}

/// A generation as it is remembered.
package struct GenerationRecord: Sendable {
    package let number: Int
    package let environment: String?
    /// Where its servers are, for an environment that the file does not declare.
    package let url: String?
    package let hash: String
    package let origin: ChangeOrigin
    /// Milliseconds since 1970.
    package let time: Int64
    package let outcome: ChangeReport.Outcome
    package let isCurrent: Bool
    package let awaitsConfirmation: Bool

    package init(
        number: Int,
        environment: String?,
        url: String?,
        hash: String,
        origin: ChangeOrigin,
        time: Int64,
        outcome: ChangeReport.Outcome,
        isCurrent: Bool,
        awaitsConfirmation: Bool
    ) {
        self.number = number
        self.environment = environment
        self.url = url
        self.hash = hash
        self.origin = origin
        self.time = time
        self.outcome = outcome
        self.isCurrent = isCurrent
        self.awaitsConfirmation = awaitsConfirmation
    }
}
