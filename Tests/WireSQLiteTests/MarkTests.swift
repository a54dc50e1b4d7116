import Foundation
import Glibc
import Support
import Testing
import WireBase
import WireCrypto
import WireSQLite
import WireStore

@Suite("Store files lost before opening")
struct MarkTests {
    @Test("a missing or empty database is reported, and left alone until accepted", arguments: [false, true])
    func gone(isEmpty: Bool) async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        try FileManager.default.removeItem(atPath: "\(folder.path)/state.db")
        if isEmpty { try folder.write(Data(), to: "state.db") }
        let failure = try folder.failure()
        #expect(failure?.kind == .lost)
        #expect(failure?.reason.hasSuffix("is \(isEmpty ? "empty" : "missing"), but a store existed before") == true)
        #expect(failure?.help?.contains("remove 'store.mark'") == true)
        #expect(throws: StoreFailure.self) { try StoreInspection.inspect(in: folder.path) }
        #expect(try folder.names.contains("state.db") == isEmpty)
        try FileManager.default.removeItem(atPath: "\(folder.path)/store.mark")
        let store = try folder.open()
        #expect(try await store.text("theme") == nil)
        await store.close()
    }

    @Test("an empty database beside its log is reported, and the log is kept")
    func emptyBesideLog() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.put("dark", under: "theme")
        let copy = try Self.copy(of: folder, ["state.db-wal"])
        try copy.write(Data(), to: "state.db")
        await store.close()
        let log = try copy.bytes("state.db-wal")
        #expect(try copy.failure()?.kind == .lost)
        #expect(try copy.bytes("state.db-wal") == log)
    }

    @Test("the mark is not raised by a write that a power failure may undo")
    func unconfirmed() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.put("dark", under: "theme")
        _ = try await store.scrub()
        let mark = try folder.bytes("store.mark")
        var value = NewValue([1], type: "")
        value.isDurable = false
        _ = try await store.put(value, under: "position", in: "n", if: .always)
        #expect(try folder.bytes("store.mark") == mark)
        try await store.put("light", under: "theme")
        #expect(try folder.bytes("store.mark") != mark)
        await store.close()
    }

    @Test("a log removed after a kill is reported")
    func log() async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        let store = try folder.open()
        try await store.put("light", under: "theme")
        // What a kill at this moment leaves, with and without the log.
        let whole = try Self.copy(of: folder, ["state.db", "state.db-wal", "store.mark"])
        let cut = try Self.copy(of: folder, ["state.db", "store.mark"])
        await store.close()
        let again = try whole.open()
        #expect(try await again.text("theme") == "light")
        await again.close()
        let failure = try cut.failure()
        #expect(failure?.kind == .lost)
        #expect(failure?.reason.contains("lacks confirmed writes") == true)
        try FileManager.default.removeItem(atPath: "\(cut.path)/store.mark")
        let accepted = try cut.open()
        #expect(try await accepted.text("theme") == "dark")
        try await accepted.put("light", under: "theme")
        await accepted.close()
        let later = try cut.open()
        await later.close()
    }

    @Test("another process's draft of the mark is not modified")
    func draft() async throws {
        let folder = try StoreFolder()
        let other = unsafe open("\(folder.path)/store.mark.new", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(other) }
        #expect(flock(other, LOCK_EX) == 0)
        let text = "corewire store of-another 7\n"
        #expect(unsafe write(other, text, text.utf8.count) == text.utf8.count)
        let opening = Task.detached { try folder.open() }
        // It has the draft open as well, and waits for its turn.
        let waits = await eventually {
            let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return open.count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    == "\(folder.path)/store.mark.new"
            } == 2
        }
        #expect(waits)
        #expect(unsafe rename("\(folder.path)/store.mark.new", "\(folder.path)/store.mark") == 0)
        #expect(flock(other, LOCK_UN) == 0)
        let store = try await opening.value
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = unsafe pread(other, &bytes, bytes.count, 0)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == text)
        try await store.put("dark", under: "theme")
        await store.close()
        let again = try folder.open()
        #expect(try await again.text("theme") == "dark")
        await again.close()
        #expect(try !folder.names.contains("store.mark.new"))
    }

    @Test("an older copy and a foreign store are reported", arguments: ["older", "another"])
    func other(which: String) async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        let older = try folder.bytes("state.db")
        let another = try StoreFolder()
        for _ in 0..<3 {
            let store = try folder.open()
            try await store.put("light", under: "theme")
            await store.close()
            try await another.fill()
        }
        try folder.write(which == "older" ? older : another.bytes("state.db"), to: "state.db")
        let failure = try folder.failure()
        #expect(failure?.kind == .lost)
        let reason =
            which == "older" ? "lacks confirmed writes" : "is not the store that was last open in this folder"
        #expect(failure?.reason.contains(reason) == true)
        #expect(throws: StoreFailure.self) { try StoreInspection.inspect(in: folder.path) }
    }

    @Test("the mark is written once for many commits, and again after a checkpoint")
    func seldom() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await store.put("0", under: "k")
        let first = try folder.bytes("store.mark")
        let file = try folder.number("store.mark")
        for number in 1..<50 { try await store.put("\(number)", under: "k") }
        #expect(try folder.number("store.mark") == file)
        _ = try await store.scrub()
        try await store.put("50", under: "k")
        #expect(try folder.bytes("store.mark") != first)
        await store.close()
    }

    @Test("a damaged mark is reported")
    func damaged() async throws {
        let folder = try StoreFolder()
        try await folder.fill()
        try folder.write(Data("corewire store\n".utf8), to: "store.mark")
        #expect(try folder.failure()?.kind == .corrupt)
    }

    @Test("a store of the former version keeps its values, and gets checksums and a mark")
    func version4() async throws {
        let folder = try StoreFolder()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/state-version-4.db")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: folder.path + "/state.db")
        let key = "86a7bc7a32b0f0814552fc55eadb52a0e52d48f210cc8749d6eb2ebadd64c447"
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(key.dropFirst($0).prefix(2), radix: 16) }
        let sealer = KeySealer(try SealingKey(Secret(bytes)))
        let store = try folder.open(sealer)
        #expect(try store.entry("ui", in: "state/dev/notes")?.bytes == Array(#"{"theme":"dark"}"#.utf8))
        #expect(try store.entry("word", in: "state/dev/secrets")?.bytes == Array("sealed words".utf8))
        #expect(try store.find("item", in: "q")?.payload == Array("payload".utf8))
        try await store.put("new", under: "k")
        await store.close()
        #expect(try folder.mode("state.db.version-4") == 0o600)
        let again = try folder.open(sealer)
        #expect(try await again.text("k") == "new")
        #expect(try await again.claim(from: "q", for: .seconds(60))?.payload == Array("payload".utf8))
        await again.close()
        #expect(try folder.names.contains("store.mark"))
    }

    /// Another folder with copies of some files.
    private static func copy(of folder: StoreFolder, _ names: [String]) throws -> StoreFolder {
        let copy = try StoreFolder()
        for name in names { try copy.write(try folder.bytes(name), to: name) }
        return copy
    }
}

@Suite("Damaged values")
struct ChecksumTests {
    /// Changes one bit of what was written so.
    private static func flip(_ text: String, in folder: StoreFolder) throws {
        var bytes = try folder.bytes("state.db")
        let place = try #require(bytes.range(of: Data(text.utf8)))
        bytes[place.lowerBound] ^= 4
        try folder.write(bytes, to: "state.db")
    }

    @Test("a damaged value is reported, and nothing more is written", arguments: ["needle", "text/strange", "another"])
    func entry(text: String) async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let value = NewValue(Array("a needle and another word".utf8), type: "text/strange")
        _ = try await store.put(value, under: "k", in: "n", if: .always)
        try await store.put("sound", under: "other")
        await store.close()
        try Self.flip(text, in: folder)
        let again = try folder.open()
        #expect(try await again.text("other") == "sound")
        let damage = await #expect(throws: StoreFailure.self) { try await again.text("k") }
        #expect(damage?.kind == .corrupt)
        #expect(damage?.reason == "the store is damaged: the value under 'k' in 'n' has a wrong checksum")
        let refusal = await #expect(throws: StoreFailure.self) { try await again.put("x", under: "other") }
        #expect(refusal?.kind == .corrupt)
        #expect(try await again.text("other") == "sound")
        await again.close()
        // After a start it can be written anew.
        let mended = try folder.open()
        try await mended.put("mended", under: "k")
        #expect(try await mended.text("k") == "mended")
        await mended.close()
    }

    @Test("damaged queued work is reported too")
    func work() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        #expect(try await store.add(NewWork(id: "a", lane: "l", payload: Array("a needle".utf8)), to: "q"))
        await store.close()
        try Self.flip("needle", in: folder)
        let again = try folder.open()
        let failure = await #expect(throws: StoreFailure.self) {
            try await again.claim(from: "q", for: .seconds(60))
        }
        #expect(failure?.kind == .corrupt)
        await again.close()
    }
}

extension StoreFolder {
    /// Which file it is.
    func number(_ name: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.systemFileNumber] as? Int ?? 0
    }
}
