import WireAuth
import WireHTTP
import WireService

extension Area {
    static let auth = Area(section: AuthSection.name, help: "add the section 'auth' to sign people in")
}
