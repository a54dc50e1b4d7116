import CorewireCLI
import WireBase
import WireConfig
import WireQR

/// What somebody must do to sign in, as people read it.
struct SignInText {
    private let task: JSONValue
    private let paint: Paint
    private let showsCode: Bool

    /// Whether a QR code is drawn is the caller's: there must be a terminal that shows it.
    init(_ task: JSONValue, _ paint: Paint, showsCode: Bool) {
        self.task = task
        self.paint = paint
        self.showsCode = showsCode
    }

    var text: String {
        if task["flow"]?.string == "addon" { return "an add-on signs in\n" }
        if let url = task.line("url", upTo: 8_192) { return "open this address in a browser:\n\n  \(url)\n\n" }
        guard let code = task.line("userCode"), let uri = task.line("verificationUri", upTo: 2_048) else { return "" }
        let minutes = ((task["expiresIn"]?.integer ?? 0) + 59) / 60
        return """
            open  \(paint(uri, .strong))
            enter \(paint(code, .strong))

            \(picture)The code is good for \(minutes) \(minutes == 1 ? "minute" : "minutes").

            """
    }

    /// The address with the code in it; white on black whatever the terminal's own colours are.
    private var picture: String {
        guard showsCode, let uri = task.line("completeUri", upTo: 2_048), let symbol = QRSymbol(uri) else { return "" }
        let lines = symbol.halfBlocks.map { paint.isOn ? "\u{1b}[97;40m\($0)\u{1b}[0m" : $0 }
        return lines.joined(separator: "\n") + "\n\n"
    }
}
