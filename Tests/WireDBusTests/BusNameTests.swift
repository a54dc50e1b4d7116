import Testing
import WireMessageBus

@Suite("Names on the message bus")
struct BusNameTests {
    @Test(
        "a name has two parts or more, none of which begins with a digit",
        arguments: [
            ("com.example.tasks", true), ("a.b", true), ("_a.-b", true), ("com.example.app3d", true), ("com", false),
            ("", false), (".", false), ("com.", false), (".com", false), ("com..example", false), ("com.3d", false),
            ("com.exämple", false), ("com.example/tasks", false), ("com.example tasks", false), (":1.7", false),
            ("com." + String(repeating: "a", count: 251), true), ("com." + String(repeating: "a", count: 252), false),
        ]
    )
    func wellKnown(_ name: String, _ isOne: Bool) { #expect(BusName.isWellKnown(name) == isOne) }
}
