// Vetoes notifications while the ward sleeps: between the hours of QUIET_FROM and QUIET_TO, unless they are urgent.
// Built by 'swiftc -O Quiet.swift -o quiet', without any package.
import Foundation

func say(_ message: [String: Any]) {
    guard let line = try? JSONSerialization.data(withJSONObject: message) else { return }
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

func hour(_ name: String) -> Int { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? 0 }

func isQuiet(at hour: Int, from start: Int, to end: Int) -> Bool {
    start <= end ? (start..<end).contains(hour) : hour >= start || hour < end
}

while let line = readLine() {
    guard let message = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
    switch message["type"] as? String {
    case "hello":
        say(["type": "ready", "protocol": 1, "answers": ["notifications.received"], "version": "1.0"])
    case "ask":
        var answer: [String: Any] = ["type": "answer", "id": message["id"] ?? 0]
        let notification = message["notification"] as? [String: Any]
        let now = Calendar.current.component(.hour, from: Date())
        if notification?["category"] as? String != "urgent",
            isQuiet(at: now, from: hour("QUIET_FROM"), to: hour("QUIET_TO"))
        {
            answer["veto"] = "the ward sleeps"
        }
        say(answer)
    case "stop": exit(0)
    default: break
    }
}
