import Synchronization
import WireConfig
package import WireService

/// Can change the device before registration, and is notified afterwards (HALO's delegate and device add-ons).
package protocol DeviceHook: Sendable {
    /// Called at every start, once the device is loaded with the facts of this machine.
    func willSetUp(_ device: KnownDevice) async throws -> KnownDevice
    /// Called before every registration.
    func willRegister(_ device: KnownDevice) async throws -> KnownDevice
    /// Called after a registration.
    func didRegister(_ device: KnownDevice) async
}

extension DeviceHook {
    package func willSetUp(_ device: KnownDevice) async throws -> KnownDevice { device }
    package func willRegister(_ device: KnownDevice) async throws -> KnownDevice { device }
    package func didRegister(_ device: KnownDevice) async {}
}

/// The registry of device hooks, in order of registration; outlives generations.
package final class DeviceHooks: Sendable {
    private let state = Mutex<(last: Int, hooks: [(ticket: Int, name: String, hook: any DeviceHook)])>((0, []))

    package init() {}

    /// Registers a hook and returns the ticket that removes it; one with the same name is replaced in its position.
    package func add(_ name: String, _ hook: any DeviceHook) -> Int {
        state.withLock { state in
            state.last += 1
            if let index = state.hooks.firstIndex(where: { $0.name == name }) {
                state.hooks[index] = (state.last, name, hook)
            } else {
                state.hooks.append((state.last, name, hook))
            }
            return state.last
        }
    }

    package func remove(_ ticket: Int) {
        state.withLock { state in state.hooks.removeAll { $0.ticket == ticket } }
    }

    package var all: [(name: String, hook: any DeviceHook)] {
        state.withLock { state in state.hooks.map { ($0.name, $0.hook) } }
    }
}

extension Ability where Value == DeviceHooks {
    package static var deviceHooks: Ability<DeviceHooks> { Ability(Provision(.runner, "device hooks")) }
}
