import { BrowserRouter, useLocation } from 'react-router-dom'
import { useMediaQuery } from '../ui/hooks/use-media-query.ts'
import { BackLayers } from '../ui/layers/back-layers.tsx'
import { Tooltips } from '../ui/tooltips/tooltips.tsx'
import { ErrorBoundary } from './layout/error-boundary.tsx'
import { WayUpProvider } from './navigation/use-way-up.tsx'
import { AppRoutes } from './routes.tsx'
import { narrowScreen } from './screen/narrow-screen.ts'
import { type Services, ServicesProvider } from './session/services-context.ts'

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
