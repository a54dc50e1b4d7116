package import WireBase
package import WireConfig
import WireHTTP
package import WireService
package import WireTelemetry

/// Controls the running runner, for the local API, the console and programs.
package protocol RunnerControl: Sendable {
    /// A snapshot of the state.
    var status: RunnerStatus { get }
    /// A snapshot of the state, including whether the files on disk have changed.
    var statusWithFiles: RunnerStatus { get async }
    /// The recent and new events.
    var events: EventHub { get }
    /// Plans a change without making it.
    func plan(_ change: RequestedChange) async -> ChangeReport
    /// Starts the next generation beside the current one, and swaps.
    func apply(_ change: RequestedChange) async -> ChangeReport
    /// Stops the runner in order, and lets the process exit with the fault.
    func end(because fault: Fault)
    /// Confirms the current generation; false where none waits. Throws where the store does not accept the
    /// confirmation.
    func confirm() async throws(Fault) -> Bool
    /// The stored generations, the latest first.
    func generations() async -> [GenerationRecord]
    /// The effective file of a generation with secrets redacted; nil where it is not stored.
    func effectiveFile(of generation: Int) async -> String?
}

extension Ability where Value == any RunnerControl {
    /// The control of the runner.
    package static var runnerControl: Self { Self(Provision(.runner, "control")) }
}

/// A requested change.
package struct RequestedChange: Sendable {
    package enum Target: Sendable, Hashable {
        /// A reload in the current environment.
        case file
        /// A switch to an environment, or to the URL of an undeclared one.
        case environment(String)
        /// A rollback to an earlier generation.
        case generation(Int)
    }

    package var target: Target
    package var origin: ChangeOrigin
    /// Whether to restart unchanged services too.
    package var isForced = false
    /// The time to confirm the change before it is rolled back.
    package var confirmWithin: Duration?
    /// The required hash of the current content.
    package var expectedHash: String?

    package init(_ target: Target, origin: ChangeOrigin) {
        self.target = target
        self.origin = origin
    }
}

extension RequestedChange {
    /// What starts the generation, for the history.
    package var action: ChangeAction {
        switch (origin, target) {
        case (.start, _): .start
        case (.confirmation, _), (_, .generation): .rollback
        case (_, .file): .reload
        case (_, .environment): .switch
        }
    }
}

/// What started a generation.
package enum ChangeAction: String, JSONWord, PlainCodable {
    case start, reload, `switch`, rollback
}

/// What requested a generation.
package enum ChangeOrigin: String, JSONWord, PlainCodable {
    case start, signal, api, program, confirmation
}

/// The result of a change.
package struct ChangeReport: Sendable {
    package enum Outcome: String, JSONWord, PlainCodable {
        /// The next generation runs.
        case applied
        /// No differences, so nothing was done.
        case unchanged
        /// Planned only.
        case planned
        /// The file is invalid; the current generation continues.
        case rejected
        /// A service did not become ready; the current generation continues.
        case rolledBack
        /// The condition of the request does not hold.
        case conflict
    }

    package var outcome: Outcome
    /// The running generation, and the hash of its content.
    package var generation: Int
    package var environment: String?
    /// The base URL of an undeclared environment.
    package var url: String?
    package var hash: String
    package var services: [ServiceChange] = []
    package var settings: [SettingChange] = []
    /// Why the change was not made, in one sentence.
    package var reason: String?
    /// The problems of the file, as JSON and as text.
    package var diagnostics: JSONValue?
    package var diagnosticsText: String?
    package var duration: Duration = .zero
    /// The time to confirm the change.
    package var confirmWithin: Duration?
    /// Whether the request names an unknown environment or generation; the status does not show such a rejection.
    package var isFaultOfRequest = false

    package init(outcome: Outcome, generation: Int, environment: String?, url: String? = nil, hash: String) {
        self.outcome = outcome
        self.generation = generation
        self.environment = environment
        self.url = url
        self.hash = hash
    }

    /// The problems, one per line: location, code and message.
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
        /// The number of requests that the old service still processes.
        package var inFlight: Int
        /// Whether the service runs only while a user is signed in, unless the file allows anonymous use.
        package var needsUser: Bool
        /// The changed keys, or another cause.
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

    /// A changed setting, with secrets redacted.
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

/// A stored generation.
package struct GenerationRecord: Sendable {
    package let number: Int
    package let environment: String?
    /// The base URL of an undeclared environment.
    package let url: String?
    package let hash: String
    /// Nil for generations of an earlier version.
    package let action: ChangeAction?
    package let origin: ChangeOrigin
    /// The start in milliseconds since 1970.
    package let time: Int64
    package let outcome: ChangeReport.Outcome
    package let isCurrent: Bool
    package let awaitsConfirmation: Bool

    package init(
        number: Int,
        environment: String?,
        url: String?,
        hash: String,
        action: ChangeAction?,
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
        self.action = action
        self.origin = origin
        self.time = time
        self.outcome = outcome
        self.isCurrent = isCurrent
        self.awaitsConfirmation = awaitsConfirmation
    }
}
