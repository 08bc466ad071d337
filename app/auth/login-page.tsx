import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import type { Login, SignedIn } from '../../schema/api/auth.ts'
import type { LinkingCalls } from '../api/linking-calls.ts'
import { titlePage } from '../ui/product.ts'
import frame from './auth-frame.module.css'
import { AuthFrame } from './auth-frame.tsx'
import { EndedNotice } from './ended-notice.tsx'
import { keepInvite } from './keep-invite.ts'
import { PromoCard } from './promo-card.tsx'
import { QrView } from './qr-view.tsx'
import { SignInForm } from './sign-in-form.tsx'
import form from './styles/form.module.css'

interface LoginPageProps {
  /** A phone cannot scan its own screen: the form comes first. */
  isPhone: boolean
  /** Was the person signed out by the server, not by themselves? */
  hasEnded: boolean
  notice?: ReactNode
  /** Rejects with words for a person. */
  onSignIn(given: Login): Promise<void>
  /** Signing in by a code that another device scans. */
  linking: LinkingCalls
  onLinked(session: SignedIn, keeping: { keepSignedIn: boolean }): void
}

export function LoginPage(props: LoginPageProps) {
  const { isPhone, hasEnded, notice, onSignIn, linking, onLinked } = props
  const [view, setView] = useState<'start' | 'form' | 'code'>('start')
  const isForm = view === 'form' || (view === 'start' && isPhone)
  const [keepSignedIn, setKeepSignedIn] = useState(true)
  const keeping = { keepSignedIn, onKeepSignedIn: setKeepSignedIn }
  return (
    <AuthFrame
      notice={
        hasEnded ? (
          <>
            <EndedNotice />
            {notice}
          </>
        ) : (
          notice
        )
      }
      footer={
        <p>
          Don't have an account?{' '}
          <Link className={form.link} to="/register" state={keepInvite(useLocation().state)}>
            Get started
          </Link>
        </p>
      }
    >
      <title>{titlePage('Sign in')}</title>
      {!isPhone && <PromoCard />}
      {isForm ? (
        <section className={`${frame.card} ${frame.narrow}`}>
          <SignInForm
            {...keeping}
            takesFocus={view === 'form'}
            onSignIn={onSignIn}
            onBack={() => setView('code')}
          />
        </section>
      ) : (
        <section className={frame.card}>
          <QrView
            {...keeping}
            calls={linking}
            onSignedIn={(session) => onLinked(session, { keepSignedIn })}
            onUseForm={() => setView('form')}
          />
        </section>
      )}
      {isPhone && <PromoCard />}
    </AuthFrame>
  )
}
