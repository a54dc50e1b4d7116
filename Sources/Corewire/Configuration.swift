import WireBackendContract
package import WireService

extension Corewire {
    /// The services file to run, and the code of the program that takes part.
    ///
    /// ```swift
    /// var configuration = Corewire.Configuration(file: "mobile-services.yaml", environment: "stage")
    /// configuration.log = { print($0.level, $0.message) }
    /// let corewire = try await Corewire.start(configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The services file.
        public var file: String
        /// An environment of the file, or the URL of an undeclared one; nil for the one chosen last, or the default of
        /// the file.
        public var environment: String?
        /// The servers for environments with `backend: embedded`; without them such environments are rejected.
        public var embeddedServers: EmbeddedServers?
        /// Add-ons of the program: registered before anything starts, and called in order, before those of the file.
        public var addons: [any CorewireAddon] = []
        /// Receives each log record, on the thread that logs; records contain no secrets.
        public var log: @Sendable (LogEntry) -> Void = { _ in }
        /// Called with the device at every start of its service, before registration (HALO's `managerWillSetupDevice`).
        public var willSetUpDevice: (@Sendable (inout Device) async throws -> Void)?
        /// Receives metrics instead of the server, from the first message on.
        public var publisher: (any MetricsPublisher)?

        /// Runs a file, optionally in one of its environments.
        public init(file: String, environment: String? = nil) {
            (self.file, self.environment) = (file, environment)
        }

        var options: RunOptions {
            var options = RunOptions(file: file)
            options.environment = environment
            if let embeddedServers { options.embeddedServers = embeddedServers.service }
            return options
        }
    }

    /// Embedded servers for environments with `backend: embedded`: `.included` of `CorewireEmbedded`.
    public struct EmbeddedServers: Sendable {
        package let service: any WireService.Service.Type

        package init(_ service: any WireService.Service.Type) { self.service = service }
    }
}
