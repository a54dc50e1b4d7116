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
/// It does what `corewire run` does, and leaves to the program what is the program's: signals, standard output, when to end.
/// Where the file has a section `api`, other processes reach it over its socket, `corewire status` among them. Services that
/// run when the last reference goes are drained and stopped as by ``stop()``, without anybody waiting for it.
public final class Corewire: Sendable {
    private let assembly: Assembly
    package var runner: Runner { assembly.runner }
    var work: BroughtWork { assembly.work }
    var handlers: BroughtHandlers { assembly.handlers }
    var deviceHooks: DeviceHooks { assembly.deviceHooks }
    var pushTokenCode: PushTokenCode { assembly.pushTokenCode }
    var publisher: BroughtPublisher { assembly.publisher }
    var clearings: Clearings { assembly.clearings }
    var stores: Stores { assembly.stores }
    private let endRequested: OneShot
    private let life: Task<Void, Never>

    /// Reads a file and starts what it asks for; returns when every service that must run does.
    ///
    /// What was started before a failure is stopped again.
    public static func start(_ configuration: Configuration) async throws(CorewireError) -> Corewire {
        try await start(configuration, in: .lent())
    }

    /// Starts what a file asks for, in an environment of it.
    public static func start(file: String, environment: String? = nil) async throws(CorewireError) -> Corewire {
        try await start(Configuration(file: file, environment: environment))
    }

    /// The same, on a host whose folders these variables name.
    package static func start(_ configuration: Configuration, in host: Environment) async throws(CorewireError)
        -> Corewire
    {
        var options = configuration.options
        for addon in configuration.addons { try options.register(addon) }
        do throws(StartFailure) {
            let log = Log("corewire", to: HandedLog(hand: configuration.log), levels: options.levels)
            let corewire = Corewire(try Assembly(options, log: log, environment: host))
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
        // Started by a call that returns while services go on, so no group of the caller's can hold them. This task ends
        // when it is asked to, at the latest when this object goes; it does not keep the object alive.
        life = Task {
            await withTaskGroup { group in
                group.addTask { await assembly.run() }
                await withTaskGroup { ends in
                    ends.addTask { await endRequested.wait() }
                    ends.addTask { _ = await assembly.runner.demise() }
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

    /// Lets what is in flight end, stops every service and closes the store.
    ///
    /// Returns when all of that is done. Safe more than once, and from several tasks.
    public func stop() async {
        endRequested.fire()
        await life.value
    }

    // MARK: Looking

    /// How everything is now, as a snapshot: cheap enough to ask for at any time.
    public var status: Status { Status(assembly.runner.status) }

    /// The environment that runs; nil for a file that declares none.
    public var environment: String? { assembly.runner.status.environment }

    /// What happens from now on.
    ///
    /// Every iteration has its own pace; who is too slow is told that events are missing. Ends after ``stop()``.
    public var events: Events { Events(assembly.runner.events.watch()) }

    // MARK: Changing

    /// Switches to another environment of the file, or the URL of one it does not declare.
    ///
    /// The present one goes on until the next is ready, and for good where that does not become ready.
    @discardableResult
    public func use(environment name: String) async throws(CorewireError) -> Status {
        try await apply(.environment(name))
    }

    /// Reads the file again, and makes what it says the next generation; nothing is done where nothing has changed.
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

/// Hands records on, and waits for nobody.
private struct HandedLog: LogSink {
    let hand: @Sendable (Corewire.LogEntry) -> Void

    func write(_ record: LogRecord) { hand(Corewire.LogEntry(record)) }
}

extension RunOptions {
    /// Adds an add-on of the program, which is told so before and after.
    fileprivate mutating func register(_ addon: any CorewireAddon) throws(CorewireError) {
        guard Identifier.isName(addon.addonName), !addons.contains(where: { $0.name == addon.addonName }) else {
            throw CorewireError(
                StartFailure(.invalid, "found the add-on \(addon.addonName.quoted), expected a name of its own")
            )
        }
        addon.willRegisterAddon()
        addons.append(ProgramAddon(addon))
        addon.didRegisterAddon()
    }
}
