import { Suspense, useEffect, useRef } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router-dom'
import type { Messenger } from '../../sync/messenger-types.ts'
import { FullScreenLoader } from '../../ui/layout/full-screen-loader.tsx'
import { FullScreenProblem } from '../../ui/layout/full-screen-problem.tsx'
import { PictureProvider } from '../../ui/people/picture-source.ts'
import { useNotifier } from '../notifications/use-notifier.ts'
import { useFollowSettings } from '../preferences/use-follow-settings.ts'
import { useInstallMoment } from '../preferences/use-install-moment.ts'
import { MessengerProvider } from '../session/messenger-context.tsx'
import { useServices } from '../session/services-context.ts'
import { useOpenMessenger } from '../session/use-open-messenger.ts'
import { useSession } from '../session/use-session.ts'
import { ShortcutKeys } from '../shortcuts/shortcut-keys.tsx'

/** Shows its pages to signed-in people, with their messenger open; redirects others to sign-in. */
export function SignedInRoute() {
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
