import './ui/tokens.css'
import './ui/base.css'
import { createRoot } from 'react-dom/client'
import { must } from '../schema/must.ts'
import { App } from './shell/app.tsx'
import { canKeepData } from './shell/can-keep-data.ts'
import { createServices } from './shell/create-services.ts'
import { DataBlockedPage } from './shell/data-blocked-page.tsx'
import { followVisualViewport } from './shell/follow-visual-viewport.ts'
import { applyTheme, readTheme } from './shell/theme.ts'

const isKept = canKeepData()
if (isKept) applyTheme(readTheme())
followVisualViewport()
createRoot(must(document.getElementById('root'), 'the element #root'), {
  // As if nobody had caught it: the app's update wants to know which parts are missing.
  onCaughtError: reportError,
}).render(isKept ? <App services={createServices()} /> : <DataBlockedPage />)
