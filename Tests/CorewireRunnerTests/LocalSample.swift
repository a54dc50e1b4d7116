import Support

/// `configs/local.yaml` in a folder of its own, at addresses that are free.
enum LocalSample {
    static let app = "com.example.local"

    /// Copies the sample with the files beside it.
    static func home(sinks: String = "console") throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        for path in Repository.files(below: "configs/local") {
            try home.write(try Repository.text(of: path), to: String(path.dropFirst("configs/".count)))
        }
        let file = try Repository.text(of: "configs/local.yaml")
            .replacing("listen: 127.0.0.1:7430", with: "listen: 127.0.0.1:0")
            .replacing("listen: 127.0.0.1:7437", with: "listen: 127.0.0.1:0")
            .replacing("listen: 127.0.0.1:7420", with: "listen: 127.0.0.1:0")
            .replacing("retry: { max: 5s }", with: "retry: { attempts: 1000, min: 100ms, max: 1s }")
            .replacing("sinks: [console, terminal, desktop]", with: "sinks: [\(sinks)]")
        try home.write(file, to: "\(app).yaml")
        return home
    }
}
