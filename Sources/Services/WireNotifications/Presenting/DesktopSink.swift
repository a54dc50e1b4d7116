import Synchronization
import WireBase
import WireConfig
import WireService
import WireTelemetry

/// Shows notifications on the desktop of this machine, over its session bus, with what `gdbus` can do.
///
/// Where there is no bus or no such program nothing is shown there, and it says so once.
final class DesktopSink: Sendable {
    /// What somebody did with one on the desktop.
    enum Act: Sendable {
        case tapped(id: String, button: String?)
        case dismissed(id: String)
    }

    private struct State {
        /// The latest, by the numbers the desktop knows them by.
        var shown: [(number: Int, id: String)] = []
        var trouble: String?
    }

    private let programs: (any Programs)?
    private let app: String
    private let clock: Clockwork
    private let log: Log
    private let state = Mutex(State())
    private let act: @Sendable (Act) async -> Void

    init(_ host: ServiceHost, _ act: @escaping @Sendable (Act) async -> Void) {
        programs = host.find(.programs)
        app = host.app?.displayName ?? host.app?.id.text ?? "corewire"
        (clock, log) = (host.clock, host.log)
        self.act = act
    }

    /// Why nothing is shown there; nil while it is.
    var trouble: String? { state.withLock { $0.trouble } }

    // MARK: Showing

    func show(_ view: NotificationView, _ options: [PresentationOption]) async {
        guard let programs else { return note("no program can be run here") }
        var call = ProgramCall("gdbus", Self.arguments(app, view, options))
        call.timeLimit = .seconds(5)
        do throws(ProgramFailure) {
            let outcome = try await programs.run(call)
            guard outcome.isSuccess, let number = Self.number(in: String(decoding: outcome.output, as: UTF8.self))
            else { return note("the desktop does not take notifications: \(outcome.description)") }
            note(nil)
            state.withLock { state in
                state.shown.append((number, view.entry.envelope.id))
                if state.shown.count > 1_000 { state.shown.removeFirst(500) }
            }
        } catch {
            note(error.kind == .notFound ? "there is no program 'gdbus' here" : error.reason)
        }
    }

    /// Desktop Notifications Specification 1.2: `Notify`.
    static func arguments(_ app: String, _ view: NotificationView, _ options: [PresentationOption]) -> [String] {
        let title = [view.push.title, view.push.subtitle].compactMap { $0 }.joined(separator: ", ").shown(upTo: 200)
        let body = markup(fit(view.push.body ?? ""))
        var actions = ["'default'", "'Open'"]
        for button in view.entry.buttons { actions += [quoted(button.name), quoted(button.label)] }
        var hints: [String] = []
        if let media = view.entry.envelope.media { hints.append("'image-path': <\(quoted(media))>") }
        if options.contains(.sound) {
            hints.append("'sound-name': <'message-new-instant'>")
        } else {
            hints.append("'suppress-sound': <true>")
        }
        return [
            "call", "--session", "--timeout", "4", "--dest", "org.freedesktop.Notifications", "--object-path",
            "/org/freedesktop/Notifications", "--method", "org.freedesktop.Notifications.Notify",
            quoted(app.shown(upTo: 100)), "uint32 0", "''", quoted(title.isEmpty ? app.shown(upTo: 100) : title),
            quoted(body), "[\(actions.joined(separator: ", "))]", "{\(hints.joined(separator: ", "))}", "int32 -1",
        ]
    }

    /// A text of GVariant, which begins with a quote and so is never an option.
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": quoted += "\\'"
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: if !scalar.isUnfitForDisplay { quoted.unicodeScalars.append(scalar) }
            }
        }
        return quoted + "'"
    }

    /// Desktops take some marks of HTML for what they are; a sender's are text.
    private static func markup(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
            .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
            .split(separator: ">", omittingEmptySubsequences: false).joined(separator: "&gt;")
    }

    private static func fit(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0 == "\n" || !$0.isUnfitForDisplay }).prefix(1_000)
        )
    }

    /// The number in `(uint32 7,)`.
    static func number(in reply: String) -> Int? {
        Int(reply.drop { !$0.isNumber }.dropFirst("32 ".count).prefix { $0.isNumber })
    }

    // MARK: Hearing

    /// Hears what is done with them, until cancelled.
    func listen() async {
        guard let programs else { return note("no program can be run here") }
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(100))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await line in lines { if let act = self.read(line) { await self.act(act) } }
            }
            group.addTask {
                let splitter = LineSplitter { continuation.yield($0) }
                var pause = Duration.seconds(1)
                while !Task.isCancelled {
                    let began = self.clock.monotonic()
                    var call = ProgramCall(
                        "gdbus",
                        [
                            "monitor", "--session", "--dest", "org.freedesktop.Notifications", "--object-path",
                            "/org/freedesktop/Notifications",
                        ]
                    )
                    call.heard = { splitter.take($0) }
                    call.timeLimit = .seconds(86_400)
                    do throws(ProgramFailure) {
                        _ = try await programs.run(call)
                    } catch {
                        if error.kind == .notFound { self.note("there is no program 'gdbus' here") }
                    }
                    // A bus that was there for a while and is gone may be back soon.
                    if self.clock.monotonic() - began > .seconds(10) { pause = .seconds(1) }
                    do { try await self.clock.sleep(pause) } catch { break }
                    pause = min(pause * 2, .seconds(60))
                }
                continuation.finish()
            }
        }
    }

    /// What a line such as this tells: `…: org.freedesktop.Notifications.ActionInvoked (uint32 7, 'default')`.
    func read(_ line: String) -> Act? {
        guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"), open < close else { return nil }
        let parts = line[line.index(after: open)..<close].split(separator: ",", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0].split(separator: " ").last ?? "") else { return nil }
        guard let id = state.withLock({ state in state.shown.last { $0.number == number }?.id }) else { return nil }
        if line[..<open].contains(".ActionInvoked ") {
            let name = parts[1].drop { $0 != "'" }.dropFirst().prefix { $0 != "'" }
            return .tapped(id: id, button: name == "default" ? nil : String(name))
        }
        // 2: put away by the user; that it went by itself is nobody's doing.
        guard line[..<open].contains(".NotificationClosed "), parts[1].hasSuffix(" 2") else { return nil }
        return .dismissed(id: id)
    }

    private func note(_ trouble: String?) {
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        guard isNew, let trouble else { return }
        log.notice("nothing is shown on the desktop", ["reason": .text(trouble)])
    }
}

/// Puts lines together from bytes as they come.
final class LineSplitter: Sendable {
    private let rest = Mutex<[UInt8]>([])
    private let tell: @Sendable (String) -> Void

    init(_ tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

    func take(_ bytes: [UInt8]) {
        let lines = rest.withLock { rest -> [String] in
            rest += bytes
            var lines: [String] = []
            while let end = rest.firstIndex(of: 0x0a) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeFirst(end + 1)
            }
            // A line nobody ends is nobody's.
            if rest.count > 65_536 { rest = [] }
            return lines
        }
        for line in lines { tell(line) }
    }
}
