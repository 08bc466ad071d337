import { BrowserRouter } from 'react-router-dom'
import { Tooltips } from '../ui/tooltips.tsx'
import { AppRoutes } from './routes.tsx'
import { type Services, ServicesProvider } from './services.ts'

export function App({ services }: { services: Services }) {
  return (
    <ServicesProvider value={services}>
      <BrowserRouter>
        <AppRoutes />
        <Tooltips />
      </BrowserRouter>
    </ServicesProvider>
  )
}
