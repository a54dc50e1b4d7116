import Foundation
import Support

/// The clocks of a program, as far ahead of the machine's as a test says.
struct MovedClock {
    private static let library = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        .map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// Whether faketime is installed.
    static var isPossible: Bool { library != nil }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try move(to: 0)
    }

    /// Moves all clocks, those that count from the start of the machine too.
    func move(to seconds: Int) throws { try Data("+\(seconds)s\n".utf8).write(to: file, options: .atomic) }

    private var file: URL { folder.url.appendingPathComponent("clock") }

    /// What gives a program these clocks.
    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_NO_CACHE": "1",
            "FAKETIME_TIMESTAMP_FILE": file.path,
        ]
    }
}
