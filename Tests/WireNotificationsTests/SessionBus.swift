import Foundation
import Support

/// A session bus of its own, with a desktop on it that notes what it shows; both end with the test.
final class SessionBus: @unchecked Sendable {
    // Sendable: each test has its own, and asks it from one task at a time.
    let daemon: BusDaemon
    private var desktop = Process()
    private var words = Pipe()
    private let options: [String]

    /// The options are those of `desktop.py`.
    init(_ options: [String] = [], begins: Bool = true) throws {
        self.options = options
        daemon = try BusDaemon(begins: begins)
        if begins { try beginDesktop() }
    }

    deinit { BusDaemon.end(desktop) }

    var address: String { daemon.address }

    /// Begins where it has not, or was ended, at the same address.
    func begin() throws {
        try daemon.begin()
        try beginDesktop()
    }

    func end() {
        endDesktop()
        daemon.end()
    }

    func endDesktop() { BusDaemon.end(desktop) }

    func beginDesktop(_ options: [String]? = nil) throws {
        (desktop, words) = (Process(), Pipe())
        desktop.standardInput = words
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("desktop.py")
        let arguments = [script.path, "\(daemon.folder.url.path)/shown"] + (options ?? self.options)
        _ = try daemon.start(desktop, "/usr/bin/python3", arguments)
    }

    /// Has the desktop hang, or go on.
    func hang(_ hangs: Bool) { kill(desktop.processIdentifier, hangs ? SIGSTOP : SIGCONT) }

    // MARK: What it was asked

    private var lines: [Substring] { ((try? daemon.folder.text(of: "shown")) ?? "").split(separator: "\n") }

    /// What the desktop was asked to show, the first one first.
    var shown: [Shown] { lines.compactMap { try? JSONDecoder().decode(Shown.self, from: Data($0.utf8)) } }

    /// The numbers of what it was asked to close.
    var closed: [UInt32] {
        lines.compactMap { try? JSONDecoder().decode(Closed.self, from: Data($0.utf8)).closed }
    }

    private struct Closed: Decodable { let closed: UInt32 }

    struct Shown: Decodable {
        let number: UInt32
        let replaces: UInt32
        let app: String
        let title: String
        let body: String
        let actions: [String]
        let hints: [String: Hint]
        let timeout: Int
    }

    enum Hint: Decodable, Equatable {
        case text(String), flag(Bool), byte(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let byte = try? container.decode(Int.self) {
                self = .byte(byte)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    // MARK: What a person does

    func press(_ number: UInt32, _ key: String) { tell("press \(number) \(key)\n") }
    func close(_ number: UInt32, because reason: Int) { tell("close \(number) \(reason)\n") }
    /// Tells of a token, as servers do before an action.
    func activate(_ number: UInt32) { tell("token \(number) abc\n") }
    /// Has another program say to the one that showed it that it was pressed.
    func forge(_ number: UInt32, _ key: String) { tell("forge \(number) \(key)\n") }
    private func tell(_ line: String) { words.fileHandleForWriting.write(Data(line.utf8)) }
}
