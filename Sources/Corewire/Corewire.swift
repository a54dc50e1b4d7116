import WireAddonContract
import WireBase
import WireConfig
import WireDeviceContract
package import WireHost
import WireMetricsContract
import WireNotificationContract
import WirePushContract
import WireRunnerContract
package import WireRuntime
import WireService
import WireTelemetry
import WireWorkContract

/// The services of a services file, running in this process.
///
/// ```swift
/// let corewire = try await Corewire.start(file: "mobile-services.yaml", environment: "stage")
/// for service in corewire.status.services { print(service.name, service.state) }
/// try await corewire.use(environment: "prod")
/// await corewire.stop()
/// ```
///
/// Does what `corewire run` does, except for the program's own concerns: signals, standard output, the time to end.
/// Where the file has a section `api`, other processes such as `corewire status` reach the services over its socket.
/// When the last reference is released, running services are drained and stopped in the background, as by ``stop()``.
public final class Corewire: Sendable {
    private let assembly: Assembly
    package var runner: Runner { assembly.runner }
    var work: EmbedderTaskHandlers { assembly.work }
    var handlers: EmbedderNotificationHandlers { assembly.handlers }
    var deviceHooks: DeviceHooks { assembly.deviceHooks }
    var pushTokenCode: PushTokenCode { assembly.pushTokenCode }
    var publisher: EmbedderMetricsPublisher { assembly.publisher }
    var clearings: Clearings { assembly.clearings }
    var stores: Stores { assembly.stores }
    private let endRequested: OneShot
    private let life: Task<Void, Never>

    /// Reads a file and starts its services; returns when all required services work.
    ///
    /// On a failure, everything that was started is stopped again.
    public static func start(_ configuration: Configuration) async throws(CorewireError) -> Corewire {
        try await start(configuration, in: .snapshot())
    }

    /// Starts the services of a file, optionally in one of its environments.
    public static func start(file: String, environment: String? = nil) async throws(CorewireError) -> Corewire {
        try await start(Configuration(file: file, environment: environment))
    }

    /// Starts with the folders named by environment variables.
    package static func start(_ configuration: Configuration, in host: Environment) async throws(CorewireError)
        -> Corewire
    {
        var options = configuration.options
        for addon in configuration.addons { try options.register(addon) }
        do throws(StartFailure) {
            let log = Log("corewire", to: HandedLog(hand: configuration.log), levels: options.levels)
            let corewire = Corewire(try await Assembly(options, log: log, environment: host))
            if let change = configuration.willSetUpDevice {
                _ = corewire.deviceHooks.add("the program", ProgramHook(change: change))
            }
            if let publisher = configuration.publisher { _ = corewire.publisher.bring(publisher) }
            do throws(StartFailure) {
                try await corewire.assembly.start()
            } catch {
                await corewire.stop()
                throw error
            }
            return corewire
        } catch {
            throw CorewireError(error)
        }
    }

    private init(_ assembly: Assembly) {
        let endRequested = OneShot()
        self.assembly = assembly
        self.endRequested = endRequested
        // The services outlive this call, so no task group of the caller can contain them. The task ends on request, at
        // the latest when this object is released; it does not keep the object alive.
        life = Task {
            await withTaskGroup { group in
                group.addTask { await assembly.run() }
                await withTaskGroup { ends in
                    ends.addTask { await endRequested.wait() }
                    ends.addTask { _ = await assembly.runner.fatalFault() }
                    await ends.next()
                    ends.cancelAll()
                }
                await assembly.stop()
            }
        }
    }

    deinit {
        endRequested.fire()
    }

    /// Drains and stops all services, and closes the store.
    ///
    /// Returns when everything is done. May be called more than once, and from several tasks.
    public func stop() async {
        endRequested.fire()
        await life.value
    }

    // MARK: State

    /// A cheap snapshot of the runner and its services.
    public var status: Status { Status(assembly.runner.status) }

    /// The current environment; nil for a file without environments.
    public var environment: String? { assembly.runner.status.environment }

    /// The events from now on.
    ///
    /// Each iteration has its own pace; a slow subscriber gets a gap event. Ends after ``stop()``.
    public var events: Events { Events(assembly.runner.events.watch()) }

    // MARK: Changes

    /// Switches to another environment of the file, or to the URL of an undeclared one.
    ///
    /// The current environment continues until the next one is ready, and for good where that fails.
    @discardableResult
    public func use(environment name: String) async throws(CorewireError) -> Status {
        try await apply(.environment(name))
    }

    /// Reloads the file and starts the next generation; no effect where nothing has changed.
    @discardableResult
    public func reload() async throws(CorewireError) -> Status {
        try await apply(.file)
    }

    private func apply(_ target: RequestedChange.Target) async throws(CorewireError) -> Status {
        let report = await assembly.runner.apply(RequestedChange(target, origin: .program))
        switch report.outcome {
        case .applied, .unchanged, .planned: return status
        case .rejected, .rolledBack, .conflict: throw CorewireError(report)
        }
    }
}

/// Passes log records to the program, without waiting.
private struct HandedLog: LogSink {
    let hand: @Sendable (Corewire.LogEntry) -> Void

    func write(_ record: LogRecord) { hand(Corewire.LogEntry(record)) }
}

extension RunOptions {
    /// Registers an add-on of the program, and calls it before and after.
    fileprivate mutating func register(_ addon: any CorewireAddon) throws(CorewireError) {
        guard Identifier.isName(addon.addonName), !addons.contains(where: { $0.name == addon.addonName }) else {
            throw CorewireError(
                StartFailure(.invalid, "the add-on name \(addon.addonName.quoted) is not unique")
            )
        }
        addon.willRegisterAddon()
        addons.append(ProgramAddon(addon))
        addon.didRegisterAddon()
    }
}
