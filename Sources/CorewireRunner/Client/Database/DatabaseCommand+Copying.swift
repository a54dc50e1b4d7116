import Corewire
import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireService

/// `corewire store export` and `import`.
extension DatabaseCommand {
    static func export(_ invocation: Invocation, _ embeddedServers: any Service.Type) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let path = invocation.argument(0) ?? ""
        let store = try store(invocation, embeddedServers)
        let output = ExportOutput(path == "-" ? nil : try replacement(of: path, invocation))
        let exported: StoreCopy.Exported
        do throws(StartFailure) {
            exported = try await store.export(to: output)
        } catch {
            if let fault = output.fault { throw unwritten(path, fault) }
            throw failure(error)
        }
        if exported.unreadable > 0 {
            Console.printError(
                """
                warning: \(exported.unreadable) encrypted parts are sealed with other keys than those of the services file
                  = help: to read them, set their key as 'persistence.previousKey'\n
                """
            )
        }
        // The output is the exported store itself.
        guard let file = output.file else { return .success }
        do throws(Fault) { try file.commit() } catch { throw unwritten(path, error) }
        let json = JSONValue.members([
            "file": .string(path), "store": .string(store.place), "key": .string(exported.key),
            "unreadable": .integer(exported.unreadable), "rows": self.json(exported.counts),
        ])
        showing.show(json) {
            "exported \(store.place): \(text(exported.counts))\nencrypted data needs the key \(exported.key)\n"
        }
        return .success
    }

    static func importing(_ invocation: Invocation, _ embeddedServers: any Service.Type) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let path = invocation.argument(0) ?? ""
        guard path == "-" || Files.exists(path) else {
            let reason = Files.failure().reason
            throw Failure(message: "cannot read \(path.quoted): \(reason)", status: .noInput)
        }
        let store = try store(invocation, embeddedServers)
        let imported: StoreCopy.Imported
        do throws(StartFailure) { imported = try await store.importing(path) } catch { throw failure(error) }
        let json = JSONValue.members([
            "store": .string(store.place), "rows": self.json(imported.counts), "leftOut": .integer(imported.leftOut),
        ])
        showing.show(json) {
            let leftOut =
                imported.leftOut == 0
                ? "" : "left out, since they belong to \(store.others): \(imported.leftOut) rows\n"
            return "imported into \(store.place): \(text(imported.counts))\n\(leftOut)"
        }
        return .success
    }

    private static func store(_ invocation: Invocation, _ embeddedServers: any Service.Type) throws -> StoreCopy {
        let options = try RunOptions(invocation, embeddedServers)
        do throws(StartFailure) {
            return try StoreCopy(
                of: options,
                onMachine: invocation.flag("machine"),
                environment: Environment.consumed()
            )
        } catch {
            throw failure(error)
        }
    }

    // MARK: The file

    /// The file, or standard output, and what has failed there.
    private final class ExportOutput: ByteOutput {
        let file: FileReplacement?
        private(set) var fault: Fault?

        init(_ file: FileReplacement?) { self.file = file }

        func write(_ bytes: [UInt8]) throws(Fault) {
            do throws(Fault) {
                if let file { return try file.write(bytes) }
                guard Console.print(bytes: bytes) else { throw Fault("its reader has closed it") }
            } catch {
                fault = error
                throw error
            }
        }
    }

    private static func replacement(of path: String, _ invocation: Invocation) throws(Failure) -> FileReplacement {
        let replaces = invocation.flag("force")
        if !replaces, Files.exists(path) {
            throw Failure(
                message: "\(path.quoted) exists",
                status: .cannotCreate,
                help: "choose another file, or overwrite it with --force"
            )
        }
        do throws(Fault) {
            let file = try FileReplacement(of: path, permissions: 0o600, onlyNew: !replaces)
            if let draft = file.draft { DraftRemoval.atSignals(draft) }
            return file
        } catch {
            throw unwritten(path, error)
        }
    }

    private static func unwritten(_ path: String, _ fault: Fault) -> Failure {
        Failure(message: "cannot write \(path.quoted): \(fault.reason)", status: .cannotCreate)
    }

    // MARK: Counts

    private static func text(_ counts: StoreRowCounts) -> String {
        "\(counts.values) values, \(counts.items) queued items, \(counts.results) results, \(counts.pauses) pauses"
    }

    private static func json(_ counts: StoreRowCounts) -> JSONValue {
        .members([
            "values": .integer(counts.values), "items": .integer(counts.items), "results": .integer(counts.results),
            "pauses": .integer(counts.pauses),
        ])
    }
}
