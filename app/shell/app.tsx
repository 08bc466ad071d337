import { BrowserRouter } from 'react-router-dom'
import { AppRoutes } from './routes.tsx'
import { type Services, ServicesProvider } from './services.ts'

export function App({ services }: { services: Services }) {
  return (
    <ServicesProvider value={services}>
      <BrowserRouter>
        <AppRoutes />
      </BrowserRouter>
    </ServicesProvider>
  )
}
