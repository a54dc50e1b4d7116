import WireBackendContract
package import WireService

extension Corewire {
    /// What runs, and what takes part in it.
    ///
    /// ```swift
    /// var configuration = Corewire.Configuration(file: "mobile-services.yaml", environment: "stage")
    /// configuration.log = { print($0.level, $0.message) }
    /// let corewire = try await Corewire.start(configuration)
    /// ```
    public struct Configuration: Sendable {
        /// The services file.
        public var file: String
        /// An environment the file declares, or the URL of one it does not; without one, the one chosen last, or the
        /// file's own.
        public var environment: String?
        /// What runs for environments with `backend: embedded`; without it they are refused.
        public var embeddedServers: EmbeddedServers?
        /// Take part in what services do: registered before anything starts, in their order, and asked in it, before those
        /// of the file.
        public var addons: [any CorewireAddon] = []
        /// Gets each log record, on the thread it comes from; records hold no secrets.
        public var log: @Sendable (LogEntry) -> Void = { _ in }
        /// Gets the device at every start of its service, before servers are told of it (HALO's
        /// `managerWillSetupDevice`).
        public var willSetUpDevice: (@Sendable (inout Device) async throws -> Void)?
        /// Gets metrics instead of having them sent, the first ones of the start included.
        public var publisher: (any MetricsPublisher)?

        /// A file to run, in an environment of it.
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

    /// Servers inside the program, for environments with `backend: embedded`: `.included` of `CorewireEmbedded`.
    public struct EmbeddedServers: Sendable {
        package let service: any WireService.Service.Type

        package init(_ service: any WireService.Service.Type) { self.service = service }
    }
}
