import WireBase
import WireConfig
import WireDevice
import WireService

extension Corewire {
    /// Why something is not done with the device.
    public struct DeviceError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind { case noDevice, stopped, declared, neverRegistered, invalid, unavailable }
            private let kind: Kind

            /// The file has no section `device`, or it does not run.
            public static let noDevice = Code(kind: .noDevice)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The file says what it is.
            public static let declared = Code(kind: .declared)
            /// The file says that servers are not told.
            public static let neverRegistered = Code(kind: .neverRegistered)
            /// A device cannot be so.
            public static let invalid = Code(kind: .invalid)
            /// The store or the outbox cannot be used now; later may do.
            public static let unavailable = Code(kind: .unavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence; never a token.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// The setting of the services file that wants it so.
        public let setting: Corewire.Setting?

        init(
            _ code: Code,
            _ description: String,
            help: String? = nil,
            setting: Corewire.Setting? = nil
        ) {
            (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
        }
    }
}

extension Corewire.DeviceError {
    static let stopped = Corewire.DeviceError(.stopped, "the services have been stopped")

    /// Nobody keeps the device.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(
            of: DeviceSection.name,
            in: status,
            help: "add the section 'device' to have servers know the device"
        )
        self.init(.noDevice, absence.description, help: absence.help)
    }

    init(_ refusal: DeviceRefusal) {
        let code: Code =
            switch refusal.kind {
            case .declared: .declared
            case .never: .neverRegistered
            case .invalid: .invalid
            case .notKept: .unavailable
            }
        let setting = refusal.origin.map(\.setting)
        self.init(code, refusal.reason, help: refusal.help, setting: setting)
    }
}
