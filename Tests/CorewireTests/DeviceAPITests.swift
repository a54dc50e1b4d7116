import Corewire
import Support
import Testing

@Suite("The device through the Swift API")
struct DeviceAPITests {
    @Test("the program changes the device and gets changes of others; values of the file cannot be changed")
    func changes() async throws {
        let program = try await EmbeddedProgram(sections: "device: { register: never, email: ada@example.com }")
        let keeper = program.corewire.device
        #expect(await eventually { keeper.current?.email == "ada@example.com" })
        let device = try await keeper.change { device in
            device.addTags([("ward", "3B"), ("wing", "N")])
            device.removeTag("wing")
            device.setToken("0123456789abcdef0123456789abcdef", platform: "ios")
        }
        #expect(device.tags.map(\.name) == ["ward"])
        let answer = try await program.ask("GET", "/v1/device")
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""ending":"cdef""#))
        #expect(try await program.ask("DELETE", "/v1/device/tags/ward", ["X-Corewire: 1"]).status == 200)
        #expect(keeper.current?.tags.isEmpty == true)
        await #expect { try await keeper.change { $0.email = "x@y" } } throws: { error in
            (error as? CorewireError)?.code == .declared
        }
        await #expect { try await keeper.register() } throws: { error in
            (error as? CorewireError)?.code == .neverRegistered
        }
        await program.stop()
    }

    @Test("without the section there is no device")
    func none() async throws {
        let program = try await EmbeddedProgram(sections: "persistence: {}")
        #expect(program.corewire.device.current == nil)
        await #expect { try await program.corewire.device.remove() } throws: { error in
            (error as? CorewireError)?.code == .noService
        }
        await program.stop()
    }
}
