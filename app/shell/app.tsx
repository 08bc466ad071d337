import { Component, lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { BrowserRouter, Navigate, Outlet, Route, Routes, useLocation } from 'react-router-dom'
import { PartsNotice } from '../offline/update-notices.tsx'
import type { Messenger } from '../sync/messenger-types.ts'
import { useMediaQuery } from '../ui/hooks/use-media-query.ts'
import { BackLayers } from '../ui/layers/back-layers.tsx'
import { FullScreenLoader } from '../ui/layout/full-screen-loader.tsx'
import { FullScreenProblem } from '../ui/layout/page.tsx'
import { PictureProvider } from '../ui/people/picture-source.ts'
import { productName } from '../ui/product.ts'
import { Tooltips } from '../ui/tooltips/tooltips.tsx'
import { ChatLayout } from './layout/chat-layout.tsx'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { ShortcutKeys } from './navigation/shortcut-keys.tsx'
import { WayUpProvider } from './navigation/use-way-up.tsx'
import { useNotifier } from './notifications/use-notifier.ts'
import { useFollowSettings } from './preferences/use-follow-settings.ts'
import { useInstallMoment } from './preferences/use-install-moment.ts'
import { narrowScreen } from './screen/narrow-screen.ts'
import { MessengerProvider } from './session/messenger-context.tsx'
import {
  type Services,
  ServicesProvider,
  useServices,
  useSession,
} from './session/services-context.ts'
import { useOpenMessenger } from './session/use-open-messenger.ts'

const LoginRoute = lazy(() =>
  import('./routes/login-route.tsx').then((module) => ({ default: module.LoginRoute })),
)

const RegisterRoute = lazy(() =>
  import('./routes/register-route.tsx').then((module) => ({ default: module.RegisterRoute })),
)

const ResetRoute = lazy(() =>
  import('./routes/reset-route.tsx').then((module) => ({ default: module.ResetRoute })),
)

const ProfileRoute = lazy(() =>
  import('./routes/profile-route.tsx').then((module) => ({ default: module.ProfileRoute })),
)

const SettingsRoute = lazy(() =>
  import('./routes/settings-route.tsx').then((module) => ({ default: module.SettingsRoute })),
)

const AdminRoute = lazy(() =>
  import('./routes/admin-route.tsx').then((module) => ({ default: module.AdminRoute })),
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

const JoinRoute = lazy(() =>
  import('./routes/join-route.tsx').then((module) => ({ default: module.JoinRoute })),
)

const ShareRoute = lazy(() =>
  import('./routes/share-route.tsx').then((module) => ({ default: module.ShareRoute })),
)

/** Replaces an empty page when rendering fails, as when a chunk cannot be loaded. */
class ErrorBoundary extends Component<ErrorBoundaryProps, { fallenAt?: string }> {
  override state: { fallenAt?: string } = {}

  static getDerivedStateFromError() {
    return { fallenAt: '' }
  }

  static getDerivedStateFromProps({ place }: ErrorBoundaryProps, state: { fallenAt?: string }) {
    if (state.fallenAt === '') return { fallenAt: place }
    return state.fallenAt === undefined || state.fallenAt === place ? null : { fallenAt: undefined }
  }

  override render() {
    if (this.state.fallenAt === undefined) return this.props.children
    return (
      <FullScreenProblem
        title="Couldn't show this page"
        text={`Your chats are safe on this device. Load ${productName} again. If that doesn't help, check your connection.`}
        actionLabel="Load again"
        onAction={() => location.reload()}
      />
    )
  }
}

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
        <PartsNotice />
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

interface ErrorBoundaryProps {
  /** The current location: navigating away resets the error. */
  place: string
  children: ReactNode
}

/** The route table. Source: decision 61, section 2. */
function AppRoutes() {
  return (
    <Suspense fallback={<FullScreenLoader text="Verifying authentication..." />}>
      <Routes>
        <Route path="/" element={<Navigate to="/chat" replace />} />
        <Route element={<AnonymousRoute />}>
          <Route path="/login" element={<LoginRoute />} />
          <Route path="/register" element={<RegisterRoute />} />
        </Route>
        <Route path="/reset" element={<ResetRoute />} />
        <Route element={<SignedInRoute />}>
          <Route path="/chat/new" element={<NewChatRoute />} />
          <Route path="/chat/*" element={<ChatLayout />} />
          <Route path="/join/:code" element={<JoinRoute />} />
          <Route path="/link" element={<LinkRoute />} />
          <Route path="/share" element={<ShareRoute />} />
          <Route path="/outbox" element={<OutboxRoute />} />
          <Route path="/profile" element={<ProfileRoute />} />
          <Route path="/admin/:part?" element={<AdminRoute />} />
          <Route path="/settings/:section?" element={<SettingsRoute />} />
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Routes>
    </Suspense>
  )
}

/** Shows its pages to signed-out people; redirects signed-in ones to their target. */
function AnonymousRoute() {
  const session = useSession()
  const location = useLocation()
  if (session)
    return <Navigate to={readReturnTo(location.state, session.user._id) ?? '/chat'} replace />
  return <Outlet />
}

function readReturnTo(state: unknown, userId: string): string | undefined {
  if (typeof state !== 'object' || state === null || !('returnTo' in state)) return undefined
  if ('userId' in state && state.userId !== undefined && state.userId !== userId) return undefined
  return typeof state.returnTo === 'string' ? state.returnTo : undefined
}

/** Shows its pages to signed-in people, with their messenger open; redirects others to sign-in. */
function SignedInRoute() {
  const session = useSession()
  const location = useLocation()
  const leaver = useRef<string>(undefined)
  useEffect(() => {
    if (session) leaver.current = session.user._id
  }, [session])
  if (!session) {
    // Another person starts at the home page, not where this person was.
    const returnTo = location.pathname + location.search + location.hash
    const state = { returnTo, userId: leaver.current }
    return <Navigate to="/login" replace state={state} />
  }
  return <OpenMessenger userId={session.user._id} key={session.user._id} />
}

function OpenMessenger({ userId }: { userId: string }) {
  const opening = useOpenMessenger(userId)
  switch (opening.state) {
    case 'opening':
      return <FullScreenLoader text="Verifying authentication..." />
    case 'failed':
      return (
        <FullScreenProblem
          title="Couldn't open your messages"
          text={opening.words}
          actionLabel="Try Again"
          onAction={() => location.reload()}
        />
      )
    case 'open':
      return (
        <MessengerProvider value={opening.messenger}>
          <PictureProvider value={opening.messenger.pictures}>
            <Notifier messenger={opening.messenger} />
            <ShortcutKeys messenger={opening.messenger} />
            <Suspense fallback={null}>
              <Outlet />
            </Suspense>
          </PictureProvider>
        </MessengerProvider>
      )
  }
}

function Notifier({ messenger }: { messenger: Messenger }) {
  const { notifications, push, installOffer } = useServices()
  useNotifier(messenger, { choice: notifications, push })
  useFollowSettings(messenger)
  useInstallMoment(messenger, installOffer)
  return null
}
