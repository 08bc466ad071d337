import { lazy, Suspense } from 'react'
import { Navigate, Route, Routes } from 'react-router-dom'
import { FullScreenLoader } from '../ui/layout/full-screen-loader.tsx'
import { ChatLayout } from './layout/chat-layout.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { AnonymousRoute } from './routes/anonymous-route.tsx'
import { SignedInRoute } from './routes/signed-in-route.tsx'

const LoginRoute = lazy(() =>
  import('./routes/login-route.tsx').then((module) => ({ default: module.LoginRoute })),
)
const RegisterRoute = lazy(() =>
  import('./routes/register-route.tsx').then((module) => ({ default: module.RegisterRoute })),
)
const ProfileRoute = lazy(() =>
  import('./routes/profile-route.tsx').then((module) => ({ default: module.ProfileRoute })),
)
const SettingsRoute = lazy(() =>
  import('./routes/settings-route.tsx').then((module) => ({ default: module.SettingsRoute })),
)
const OutboxRoute = lazy(() =>
  import('./outbox/outbox-route.tsx').then((module) => ({ default: module.OutboxRoute })),
)
const LinkRoute = lazy(() =>
  import('./routes/link-route.tsx').then((module) => ({ default: module.LinkRoute })),
)
const NewChatRoute = lazy(() =>
  import('./routes/new-chat-route.tsx').then((module) => ({ default: module.NewChatRoute })),
)
const ShareRoute = lazy(() =>
  import('./routes/share-route.tsx').then((module) => ({ default: module.ShareRoute })),
)

/** The route table. Source: decision 61, section 2. */
export function AppRoutes() {
  return (
    <Suspense fallback={<FullScreenLoader text="Verifying authentication..." />}>
      <Routes>
        <Route path="/" element={<Navigate to="/chat" replace />} />
        <Route element={<AnonymousRoute />}>
          <Route path="/login" element={<LoginRoute />} />
          <Route path="/register" element={<RegisterRoute />} />
        </Route>
        <Route element={<SignedInRoute />}>
          <Route path="/chat/new" element={<NewChatRoute />} />
          <Route path="/chat/*" element={<ChatLayout />} />
          <Route path="/link" element={<LinkRoute />} />
          <Route path="/share" element={<ShareRoute />} />
          <Route path="/outbox" element={<OutboxRoute />} />
          <Route path="/profile" element={<ProfileRoute />} />
          <Route path="/settings/:section?" element={<SettingsRoute />} />
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Routes>
    </Suspense>
  )
}
