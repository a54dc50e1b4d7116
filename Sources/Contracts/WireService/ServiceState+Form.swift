package import WireBase
import WireConfig
package import WireHTTP

extension ValueOrigin: JSONRecord {
    package static let form = JSONForm<Self>("Origin", "A value of the services file.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            path: try members.required("path", \.path, "The path of the key in the file."),
            place: try members.required("place", \.place, "File, line and column.")
        )
    }
}

extension Fault: JSONRecord {
    package static let form = JSONForm<Self>("Fault", "A failure at run time.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(try members.required("reason", \.reason, "The reason.", .example("the server cannot be reached")))
        help = try members.optional("help", \.help, "What to do.")
        origin = try members.optional("config", \.origin, "The value of the services file that causes the failure.")
    }
}

extension ServiceState {
    /// The name of a state, without its details.
    package enum Word: String, JSONWord, PlainCodable {
        case idle, starting, ready, degraded, inert, waiting, draining, stopped, failed
    }

    package var word: Word {
        switch self {
        case .idle: .idle
        case .starting: .starting
        case .ready: .ready
        case .degraded: .degraded
        case .inert: .inert
        case .waiting: .waiting
        case .draining: .draining
        case .stopped: .stopped
        case .failed: .failed
        }
    }

    package init(_ word: Word, _ fault: Fault) {
        self =
            switch word {
            case .idle: .idle
            case .starting: .starting
            case .ready: .ready
            case .degraded: .degraded(fault)
            case .inert: .inert(fault.reason)
            case .waiting: .waiting(fault.reason)
            case .draining: .draining
            case .stopped: .stopped
            case .failed: .failed(fault)
            }
    }
}
