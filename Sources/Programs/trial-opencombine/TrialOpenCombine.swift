// SPDX-License-Identifier: Apache-2.0

import OpenCombineModes
import Rendering
import Scenarios
import TrialKit
import URLSessionModes

@main
enum TrialOpenCombine {
    static func main() async {
        await TrialProgram.run(
            modes: OpenCombineCatalog.all(decodingWith: DecodingModel.imageView()), renderModels: RenderCatalog.all,
            scenarios: ScenarioCatalog.all,
            prepare: URLSessionTrust.follow)
    }
}
