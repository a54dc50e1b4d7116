import CQREncode

/// A QR code (ISO/IEC 18004) that holds a text, for somebody with a camera.
package struct QRSymbol: Sendable {
    /// How many modules it is wide and high, without the margin that must be around it.
    package let size: Int
    private let modules: [UInt8]

    /// How wide the light margin around it has to be, in modules.
    package static let margin = 4

    /// Nil for a text that is empty, or longer than the largest symbol holds.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 2_331 else { return nil }
        // A medium level survives a reflection on the screen.
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { unsafe QRcode_free(code) }
        size = Int(unsafe code.pointee.width)
        modules = unsafe Array(UnsafeBufferPointer(start: code.pointee.data, count: size * size))
    }

    /// Whether a module is dark; whatever lies outside is light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column] & 1 == 1
    }

    /// Two rows of modules a line, by half blocks: what is light is drawn, as terminals are dark.
    package var halfBlocks: [String] {
        let range = -Self.margin..<size + Self.margin
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            range.reduce(into: "") { line, column in
                switch (isDark(row, column), isDark(row + 1, column)) {
                case (false, false): line += "█"
                case (false, true): line += "▀"
                case (true, false): line += "▄"
                case (true, true): line += " "
                }
            }
        }
    }
}
