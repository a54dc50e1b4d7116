import CQREncode

/// A QR code (ISO/IEC 18004) with a text, for scanning with a camera.
package struct QRSymbol: Sendable {
    /// The width and height in modules, without the margin.
    package let size: Int
    private let modules: [UInt8]

    /// The width of the required light margin, in modules.
    package static let margin = 4

    /// Nil for a text that is empty or too long for the largest symbol.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 2_331 else { return nil }
        // A medium level tolerates reflections on the screen.
        guard let code = unsafe QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { unsafe QRcode_free(code) }
        size = Int(unsafe code.pointee.width)
        modules = unsafe Array(UnsafeBufferPointer(start: code.pointee.data, count: size * size))
    }

    /// Whether a module is dark; modules outside the symbol are light.
    package func isDark(_ row: Int, _ column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column] & 1 == 1
    }

    /// Two rows of modules a line, as half blocks; light modules are drawn, for dark terminals.
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
