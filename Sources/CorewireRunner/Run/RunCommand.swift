import Corewire
import CorewireCatalogue
import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireNotificationContract
import WireRuntime
import WireService
import WireTelemetry

/// `corewire run`: runs the services of a file until it is stopped.
enum RunCommand {
    static func run(_ invocation: Invocation, _ embeddedServers: any Service.Type) async throws -> ExitStatus {
        let environment = Environment.consumed()
        let options = try options(invocation, embeddedServers)
        do throws(HostError) {
            try HostNeeds.check()
        } catch {
            return tell(StartFailure(.host, "\(error)"))
        }
        let sink = try HostLog.standard(environment)
        defer { _ = sink.flush(within: .seconds(2)) }
        let log = Log("corewire", to: sink, levels: options.levels)
        // A second signal ends the process without draining.
        let signals = try Signals {
            _ = sink.flush(within: .seconds(1))
            Console.end(with: .success)
        }
        let manager = try ServiceManager(environment)
        let assembly: Assembly
        do throws(StartFailure) {
            assembly = try await Self.assembly(options, log, environment, until: signals.ending)
        } catch {
            return signals.ending.hasFired ? .success : tell(error)
        }
        if assembly.holdsSecrets {
            do throws(HostError) {
                try OwnMemory.close()
            } catch {
                log.warning("other users can read the memory of the process", ["reason": .text("\(error)")])
            }
        }
        return await withTaskGroup(of: ExitStatus?.self) { group in
            group.addTask {
                await assembly.run()
                return nil
            }
            let runner = assembly.runner
            let wards = SignalHandler(runner: runner, manager: manager, log: log)
            group.addTask {
                await wards.handle(signals)
                return nil
            }
            defer { group.cancelAll() }
            do throws(StartFailure) {
                try await assembly.start()
            } catch {
                let isToldToEnd = runner.isToldToEnd
                await assembly.stop()
                return isToldToEnd ? .success : tell(error)
            }
            wards.started.fire()
            if Console.isTerminal(2) { Console.printError(StartTable(assembly).text) }
            group.addTask {
                await wards.report()
                return nil
            }
            try? manager?.notify(.ready, .status(wards.words))
            if let heartbeat = Heartbeat(assembly, manager, log: log) {
                group.addTask {
                    await heartbeat.run()
                    return nil
                }
            }
            let demise = await runner.fatalFault()
            try? manager?.notify(.stopping)
            await assembly.stop()
            guard let demise else { return .success }
            return tell(StartFailure(.guarded, demise))
        }
    }

    /// Makes the assembly, which may wait for a database; gives that up where the process is told to end.
    private static func assembly(
        _ options: RunOptions,
        _ log: Log,
        _ environment: Environment,
        until ending: OneShot
    ) async throws(StartFailure) -> Assembly {
        let result = await withTaskGroup(of: Result<Assembly, StartFailure>?.self) { group in
            group.addTask {
                do throws(StartFailure) {
                    return .success(try await Assembly(options, log: log, environment: environment))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                await ending.wait()
                return nil
            }
            defer { group.cancelAll() }
            while let result = await group.next() {
                if let result { return result }
                group.cancelAll()
            }
            return .failure(StartFailure(.host, "the start was cancelled"))
        }
        return try result.get()
    }

    private static func options(_ invocation: Invocation, _ embeddedServers: any Service.Type) throws -> RunOptions {
        var options = try RunOptions(invocation, embeddedServers, file: invocation.argument(0))
        options.reapsOrphans = true
        options.terminal = TerminalNotices { line in
            guard Console.isTerminal(2) else { return false }
            Console.printError("\(line)\n")
            return true
        }
        for text in invocation.all("log-level") { try set(text, in: &options.levels, invocation) }
        if let text = invocation.option("drain") {
            options.drainLimit = try invocation.duration(text, option: "drain")
        }
        return options
    }

    private static func set(_ text: String, in levels: inout LogLevels, _ invocation: Invocation) throws {
        let choice = try LevelChoice(text, source: "--log-level: ", for: invocation.path)
        guard let level = choice.level else { return }
        guard let module = choice.module else {
            levels.usual = level
            return
        }
        // Accepts modules of all sections, because another environment may have them.
        let modules = ["corewire"] + Shipped.catalogue.sections.map { $0.name }
        guard modules.contains(module) else {
            let nearest = Nearest.name(to: module, among: modules).map { "; did you mean '\($0)'?" } ?? ""
            throw UsageError("--log-level: unknown module \(module.quoted)\(nearest)", for: invocation.path)
        }
        levels.byModule[module] = level
    }

    /// Reports why the start failed; returns the exit status for service managers.
    private static func tell(_ failure: StartFailure) -> ExitStatus {
        Console.printError(failure.text)
        switch failure.kind {
        case .invalid: return .invalidFile
        case .unreadable: return .noInput
        case .taken, .away: return .temporary
        case .state: return .inputOutput
        case .service: return .unavailable
        case .guarded: return .noPermission
        case .host: return .internalError
        }
    }
}
