import './ui/styles/tokens.css'
import './ui/styles/base.css'
import './ui/styles/looks.css'
import { createRoot } from 'react-dom/client'
import { must } from '../schema/helpers/assertions.ts'
import { App } from './shell/app.tsx'
import { DataBlockedPage } from './shell/layout/data-blocked-page.tsx'
import { followVisualViewport } from './shell/screen/follow-visual-viewport.ts'
import { applyLooks } from './shell/screen/theme.ts'
import { canKeepData } from './shell/session/can-keep-data.ts'
import { createServices } from './shell/session/services.ts'

const isKept = canKeepData()
if (isKept) applyLooks()
followVisualViewport()
createRoot(must(document.getElementById('root'), 'the element #root'), {
  // Reports caught errors as uncaught ones: the app's update listens for missing chunks.
  onCaughtError: reportError,
}).render(isKept ? <App services={createServices()} /> : <DataBlockedPage />)
