import Foundation
import Support

/// Services files the tests run.
enum Services {
    static func file(retries: Int = 2, key: String = "retries", api: String = "{ socket: auto }", more: String = "")
        -> String
    {
        """
        version: 1
        app: { id: com.example.tasks, name: Tasks }
        environment: dev
        environments:
          dev: { backend: embedded }
          prod: { baseUrl: "https://api.example.com", network: { retries: 5 } }
        network: { \(key): \(retries), timeout: 30s }
        api: \(api)
        \(more)
        """
    }

    /// A home with such a file, and a runner in it.
    static func running(_ text: String = file()) throws -> FoundRunner {
        let home = try RunnerHome()
        try home.write(text)
        return try FoundRunner(in: home)
    }
}

extension Run {
    /// What it printed, as JSON.
    func json() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any] ?? [:]
    }

    /// The lines it printed, as JSON each.
    func jsonLines() throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
    }
}
