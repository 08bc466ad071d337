import { BrowserRouter, useLocation } from 'react-router-dom'
import { BackLayers } from '../ui/back-layers.tsx'
import { Tooltips } from '../ui/tooltips.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { narrowScreen } from './narrow-screen.ts'
import { AppRoutes } from './routes.tsx'
import { type Services, ServicesProvider } from './services.ts'
import { WayUpProvider } from './use-way-up.tsx'

export function App({ services }: { services: Services }) {
  return (
    <ServicesProvider value={services}>
      <BrowserRouter>
        <WayUpProvider>
          <BackLayers isOn={useMediaQuery(narrowScreen)}>
            <Pages />
          </BackLayers>
        </WayUpProvider>
        <Tooltips />
      </BrowserRouter>
    </ServicesProvider>
  )
}

function Pages() {
  return (
    <ErrorBoundary place={useLocation().key}>
      <AppRoutes />
    </ErrorBoundary>
  )
}
