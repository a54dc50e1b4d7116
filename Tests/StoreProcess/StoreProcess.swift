import Foundation
import WireBase
import WireCrypto
import WireHost
import WireSQLite
import WireService
import WireStore

/// A process that uses a store beside another one: what the tests of several processes, and the benchmarks, start.
@main
enum StoreProcess {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { throw Usage() }
        if arguments[0] == "measure-turns" { return try await Turns.measure(arguments) }
        let number = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
        let rows = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
        var limits = StoreLimits()
        if arguments[0] == "measure-file-reads" { limits.recentSize = .bytes(0) }
        let own = try KeyFile.key(in: arguments[1])
        let next = try SealingKey(Secret([UInt8](repeating: 2, count: SealingKey.size)))
        let sealer = arguments[0] == "reseal" ? KeySealer(next, former: [own]) : KeySealer(own)
        let store = try SQLiteStore.open(folder: arguments[1], sealer: sealer, limits: limits)
        switch arguments[0] {
        case "fill": try await fill(store)
        case "put": try await put(store, key: arguments[2])
        case "endure": await endure(store)
        case "hold": try await hold(store, times: number)
        case "abandon": try await abandon(store, toProgram: arguments.count > 2)
        case "die": try await die(store, writing: number)
        case "measure-puts": try await measurePuts(store, callers: number, rows: rows)
        case "measure-adds": try await measureAdds(store, callers: number, rows: rows)
        case "measure-reads", "measure-file-reads": try await measureReads(store, isSealed: false)
        case "measure-sealed-reads": try await measureReads(store, isSealed: true)
        case "count": try await count(store, to: number)
        case "reseal": say("\(try await store.reseal().count)")
        case "churn": try await churn(store)
        case "reread": try await reread(store, times: number)
        case "recache": try await recache(store, times: number)
        default: throw Usage()
        }
        await store.close()
    }

    struct Usage: Error {}

    static func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Puts, adds and completes until somebody ends the process, and says what the store has confirmed.
    static func fill(_ store: SQLiteStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
                group.addTask {
                    for number in 0... {
                        let key = "\(getpid())-\(caller)-\(number)"
                        let value = NewValue(Array("value of \(key)".utf8), type: "", isSealed: number % 2 == 0)
                        _ = try await store.put(value, under: key, in: "filled", if: .absent)
                        say("put \(key)")
                        let work = NewWork(id: key, lane: "\(caller)", payload: Array(key.utf8))
                        _ = try await store.add(work, to: "work")
                        say("added \(key)")
                        if number % 3 == 0, let claim = try await store.claim(from: "work", for: .seconds(60)) {
                            say("completing \(claim.id)")
                            if try await store.complete(claim) { say("completed \(claim.id)") }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    static func put(_ store: SQLiteStore, key: String) async throws {
        let put = try await store.put(NewValue([1], type: ""), under: key, in: "n", if: .always)
        say("\(put.version)")
    }

    /// Adds an item, claims it so that a power cut may undo that, and holds it and notes it again and again.
    static func hold(_ store: SQLiteStore, times: Int) async throws {
        _ = try await store.add(NewWork(id: "held", lane: "one", payload: [1]), to: "work")
        let wish = ClaimRequest(for: .seconds(60), isDurable: false)
        var held = 0
        for claim in try await store.complete([], claiming: wish, in: "work").claims {
            for _ in 0..<times where try await store.extend(claim, by: .seconds(60)) {
                held += 1
                var note = NewValue([1], type: "")
                note.isDurable = false
                _ = try await store.put(note, under: "\(held)", in: "n", if: .always)
            }
        }
        say("held \(held)")
    }

    /// Claims two of three items, perhaps starts a program that works on, says its number, and is killed.
    static func abandon(_ store: SQLiteStore, toProgram goesOn: Bool) async throws {
        for id in ["first", "second", "third"] {
            _ = try await store.add(NewWork(id: id, lane: id, payload: []), to: "work")
        }
        _ = try await store.complete([], claiming: ClaimRequest(for: .seconds(3_600), upTo: 2), in: "work")
        if goesOn {
            var call = ProgramCall("sleep", ["1000"])
            (call.doesClaimedWork, call.timeLimit) = (true, .seconds(1_000))
            call.started = { number in
                say("\(number)")
                kill(getpid(), SIGKILL)
            }
            _ = try await ProgramRunner(.snapshot(), folder: "/", hold: store.hold.descriptor).run(call)
        }
        kill(getpid(), SIGKILL)
    }

    /// Puts one value after the other whatever happens, and says what became of each.
    static func endure(_ store: SQLiteStore) async {
        for number in 0..<60 {
            do throws(StoreFailure) {
                _ = try await store.put(value, under: "\(number)", in: "n", if: .always)
                say("put \(number)")
            } catch {
                say("\(error.kind) \(number)")
            }
            // Whatever became of the write, reading goes on.
            if (try? store.usage(of: "n")) == nil { say("unreadable \(number)") }
        }
    }

    /// Ends at once, with no goodbye, while writes are under way.
    static func die(_ store: SQLiteStore, writing count: Int) async throws {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    for round in 0..<100 {
                        let key = "\(number)-\(round)"
                        _ = try? await store.put(NewValue(Array(key.utf8), type: ""), under: key, in: "n", if: .always)
                        say(key)
                        if number == 0, round == count { _exit(3) }
                    }
                }
            }
        }
    }

    static let value = NewValue([UInt8](repeating: 0x61, count: 500), type: "application/json")

    static func measurePuts(_ store: SQLiteStore, callers: Int, rows: Int) async throws {
        try await measure(callers, rows) { caller, number in
            _ = try await store.put(value, under: "\(caller)-\(number)", in: "n", if: .always)
        }
    }

    static func measureAdds(_ store: SQLiteStore, callers: Int, rows: Int) async throws {
        try await measure(callers, rows) { caller, number in
            let work = NewWork(id: "\(caller)-\(number)", lane: "\(caller)", payload: value.bytes)
            _ = try await store.add(work, to: "q")
        }
    }

    static func measure(
        _ callers: Int,
        _ rows: Int,
        _ body: @escaping @Sendable (Int, Int) async throws -> Void
    ) async throws {
        let count = rows / callers
        let time = try await ContinuousClock().measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<callers {
                    group.addTask { for number in 0..<count { try await body(caller, number) } }
                }
                try await group.waitForAll()
            }
        }
        say("\(Int(Double(count * callers) / (time / .seconds(1))))")
    }

    /// Puts one number after the other under one key, and says each when it is confirmed.
    static func count(_ store: SQLiteStore, to last: Int) async throws {
        for number in 1...last {
            _ = try await store.put(NewValue(Array("\(number)".utf8), type: ""), under: "k", in: "n", if: .always)
            say("\(number)")
        }
    }

    /// Changes entries in all ways there are, until somebody ends the process.
    static func churn(_ store: SQLiteStore) async throws {
        for number in 0... {
            let value = NewValue(Array("\(number)".utf8), type: "", isSealed: number % 3 == 0)
            _ = try await store.put(value, under: "\(number % 16)", in: "n", if: .always)
            if number % 7 == 0 { _ = try await store.remove("\(number % 5)", in: "n", if: .always) }
            if number % 97 == 0 { _ = try await store.clear("n") }
            say("\(number)")
        }
    }

    static func reread(_ store: SQLiteStore, times: Int) async throws {
        _ = try await store.put(value, under: "k", in: "n", if: .always)
        for _ in 0..<times where try store.entry("k", in: "n") == nil { throw Usage() }
    }

    static func recache(_ store: SQLiteStore, times: Int) async throws {
        let answer = CachedValue(bytes: [1], notes: [2], stored: 3)
        try await store.cache(answer, under: "k", in: "r", bound: .mebibytes(1))
        for _ in 0..<times where try store.cached("k", in: "r") == nil { throw Usage() }
    }

    static func measureReads(_ store: SQLiteStore, isSealed: Bool) async throws {
        var value = value
        value.isSealed = isSealed
        for number in 0..<1_000 { _ = try await store.put(value, under: "\(number)", in: "r", if: .always) }
        let count = 200_000
        let time = try ContinuousClock().measure {
            for number in 0..<count { _ = try store.entry("\(number % 1_000)", in: "r") }
        }
        say("\(Int(Double(count) / (time / .seconds(1))))")
    }
}
