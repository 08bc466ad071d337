import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router-dom'
import type { SignedIn } from '../../schema/api/auth.ts'
import type { LinkingCalls } from '../api/linking-calls.ts'
import type { TypedSignIn } from '../sync/keys/account-access.ts'
import { Button, DownloadLink } from '../ui/buttons/button.tsx'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { Icon } from '../ui/icons/icon.tsx'
import { productName, titlePage } from '../ui/product.ts'
import { CheckBox, ErrorBox, PasswordField, TextField } from './auth-fields.tsx'
import styles from './auth-frame.module.css'
import { AuthFrame } from './auth-frame.tsx'
import { isJoining, keepInvite } from './invitation.ts'
import { LinkingCode, type LinkingCodeProps } from './linking-code.tsx'
import promoCardStyles from './promo-card.module.css'
import qrViewStyles from './qr-view.module.css'
import form from './styles/form.module.css'
import { useSubmit } from './use-submit.ts'

interface LoginPageProps {
  /** A phone cannot scan its own screen: the form comes first. */
  isPhone: boolean
  /** Was the person signed out by the server, not by themselves? */
  hasEnded: boolean
  notice?: ReactNode
  /** Does the server take sealed messages? Else the page does not speak of encryption. */
  isEncrypted: boolean
  /** Set where this device can install the app. */
  install: InstallPromo | undefined
  /** Rejects with words for a person. */
  onSignIn(given: TypedSignIn): Promise<void>
  /** Can the server mail a link for a forgotten password? */
  askHasMail(): Promise<boolean>
  /** Rejects with words for a person. */
  onForgotten(email: string): Promise<void>
  /** Signing in by a code that another device scans. */
  linking: LinkingCalls
  onLinked(session: SignedIn, keeping: { keepSignedIn: boolean }): void
  /** Ends a sign-in by code that came after the code was left. */
  endSignIn: LinkingCodeProps['endSignIn']
}

export function LoginPage(props: LoginPageProps) {
  const { isPhone, hasEnded, notice, install, onSignIn, linking, onLinked } = props
  const [view, setView] = useState<'start' | 'form' | 'code' | 'forgotten'>('start')
  const isForm = view === 'form' || (view === 'start' && isPhone)
  const [keepSignedIn, setKeepSignedIn] = useState(true)
  const { state } = useLocation()
  const registerState = keepInvite(state)
  const joins = isJoining(state)
  const keeping = { keepSignedIn, onKeepSignedIn: setKeepSignedIn }
  return (
    <AuthFrame
      isEncrypted={props.isEncrypted}
      notice={
        (hasEnded || joins || notice) && (
          <>
            {hasEnded && <EndedNotice />}
            {joins && !hasEnded && (
              <p className={styles.joins}>
                Sign in to join the group. If you're new here, create an account first.
              </p>
            )}
            {notice}
          </>
        )
      }
      footer={
        // On a phone the form has one way to register, at the thumb.
        !(isPhone && isForm) && (
          <p>
            Don't have an account?{' '}
            <Link className={form.link} to="/register" state={registerState}>
              Get started
            </Link>
          </p>
        )
      }
    >
      <title>{titlePage('Sign in')}</title>
      {view === 'forgotten' && (
        <section className={`${styles.card} ${styles.narrow}`}>
          <ForgottenPassword onForgotten={props.onForgotten} onBack={() => setView('form')} />
        </section>
      )}
      {view === 'forgotten' ? null : isForm ? (
        <section className={`${styles.card} ${styles.narrow}`}>
          <SignInForm
            {...keeping}
            isPhone={isPhone}
            takesFocus={view === 'form'}
            onSignIn={onSignIn}
            onBack={() => setView('code')}
            askHasMail={props.askHasMail}
            onForgotten={() => setView('forgotten')}
          />
        </section>
      ) : (
        <section className={styles.card}>
          <QrView
            {...keeping}
            calls={linking}
            onSignedIn={(session) => onLinked(session, { keepSignedIn })}
            endSignIn={props.endSignIn}
            onUseForm={() => setView('form')}
          />
        </section>
      )}
      <PromoCard install={install} />
    </AuthFrame>
  )
}

/** Why the person has to sign in although they did not log out. */
function EndedNotice() {
  return (
    // An alert: screen readers miss a status that comes with its page.
    <p className={styles.ended} role="alert">
      <Icon name="warning" size={20} />
      You've been signed out. Sign in to continue.
    </p>
  )
}

interface InstallPromo {
  /** Asks the browser's own question, where it has one. */
  ask?: (() => void) | undefined
  /** How it is done by hand, where the browser has none. */
  steps: ReactNode
}

/**
 * The card beside the sign-in: installs the app where this device can, else leads to the desktop app.
 */
function PromoCard({ install }: { install: InstallPromo | undefined }) {
  const [isExplained, setIsExplained] = useState(false)
  if (!install) {
    return (
      <aside className={promoCardStyles.card} aria-label="Desktop app">
        <Sign />
        <div className={promoCardStyles.words}>
          <p className={promoCardStyles.title}>Download WhatsApp for Windows</p>
          <p className={promoCardStyles.text}>
            Make calls, share your screen and get a faster experience when you download the Windows
            app.
          </p>
        </div>
        <DownloadLink />
      </aside>
    )
  }
  const { ask, steps } = install
  return (
    <aside className={promoCardStyles.card} aria-label={`Install ${productName}`}>
      <Sign />
      <div className={promoCardStyles.words}>
        <p className={promoCardStyles.title}>Install {productName} as an app</p>
        <p className={promoCardStyles.text}>
          Its own icon and window, and it opens without a network.
        </p>
      </div>
      <Button
        look="quiet"
        aria-expanded={ask ? undefined : isExplained}
        onClick={ask ?? (() => setIsExplained(!isExplained))}
      >
        Install
      </Button>
      {isExplained && !ask && <div className={promoCardStyles.steps}>{steps}</div>}
    </aside>
  )
}

function Sign() {
  return (
    <span className={promoCardStyles.icon}>
      <Icon name="download" />
    </span>
  )
}

interface QrViewProps extends Pick<LinkingCodeProps, 'calls' | 'onSignedIn' | 'endSignIn'> {
  keepSignedIn: boolean
  onKeepSignedIn(isKept: boolean): void
  onUseForm(): void
}

function QrView(props: QrViewProps) {
  const { keepSignedIn, onKeepSignedIn, onUseForm, ...code } = props
  return (
    <div className={qrViewStyles.view}>
      <div>
        <h1 className={qrViewStyles.heading}>Steps to log in</h1>
        <ol className={qrViewStyles.steps}>
          <li>Open {productName} on your phone</li>
          <li>Open Menu or Settings</li>
          <li>Tap Linked devices, then Link device</li>
          <li>Point your phone at this screen to scan the QR code</li>
        </ol>
      </div>
      <LinkingCode {...code} keepSignedIn={keepSignedIn} />
      <div className={qrViewStyles.foot}>
        <CheckBox
          label="Stay logged in on this browser"
          isChecked={keepSignedIn}
          onChange={onKeepSignedIn}
        />
        <button type="button" className={form.link} onClick={onUseForm}>
          Log in with phone number
        </button>
      </div>
    </div>
  )
}

interface SignInFormProps {
  isPhone: boolean
  /** False where the person did not ask for the form: a phone's keyboard would cover the page. */
  takesFocus: boolean
  keepSignedIn: boolean
  onKeepSignedIn(isKept: boolean): void
  onSignIn(given: TypedSignIn): Promise<void>
  askHasMail(): Promise<boolean>
  onForgotten(): void
  onBack(): void
}

function SignInForm(props: SignInFormProps) {
  const { isPhone, takesFocus, keepSignedIn, onKeepSignedIn, onSignIn, onBack } = props
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const { isBusy, error, problemOf, onSubmit, clearProblems } = useSubmit<'username' | 'password'>({
    fallback: 'Login failed',
    check: () => [
      ...(username.trim() === ''
        ? [{ field: 'username' as const, words: 'Enter your phone number or username' }]
        : []),
      ...(password === '' ? [{ field: 'password' as const, words: 'Enter your password' }] : []),
    ],
    work: () => onSignIn({ username: username.trim(), password, keepSignedIn }),
  })
  const [hasMail, setHasMail] = useState(false)
  const askHasMail = useLatest(props.askHasMail)
  useEffect(() => {
    // Without an answer the way by mail is not offered.
    askHasMail.current().then(setHasMail, () => undefined)
  }, [askHasMail])
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) first.current?.focus()
  }, [takesFocus])

  const register = (
    <Link
      className={isPhone ? form.wideLink : form.link}
      to="/register"
      state={keepInvite(useLocation().state)}
    >
      Create account
    </Link>
  )

  return (
    <form className={form.form} noValidate onSubmit={onSubmit}>
      <h1 className={form.heading}>Sign in</h1>
      <ErrorBox text={error} />
      <TextField
        label="Phone number or Username"
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        ref={first}
        problem={problemOf('username')}
        value={username}
        onChange={(event) => {
          setUsername(event.target.value)
          clearProblems()
        }}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        required
        problem={problemOf('password')}
        value={password}
        onChange={(event) => {
          setPassword(event.target.value)
          clearProblems()
        }}
      />
      {hasMail && (
        <button type="button" className={form.link} onClick={props.onForgotten}>
          Forgot password?
        </button>
      )}
      <CheckBox label="Keep me signed in" isChecked={keepSignedIn} onChange={onKeepSignedIn} />
      <Button type="submit" isBusy={isBusy}>
        {isBusy ? 'Signing in...' : 'Sign in'}
      </Button>
      <div className={isPhone ? form.ways : form.links}>
        {isPhone && register}
        <button type="button" className={form.link} onClick={onBack}>
          Back to QR code
        </button>
        {!isPhone && register}
      </div>
    </form>
  )
}

interface ForgottenPasswordProps {
  /** Rejects with words for a person. */
  onForgotten(email: string): Promise<void>
  onBack(): void
}

/** Asks for a link by mail. It never says whether an account has the address. */
function ForgottenPassword({ onForgotten, onBack }: ForgottenPasswordProps) {
  const [email, setEmail] = useState('')
  const [isSent, setIsSent] = useState(false)
  const { isBusy, error, problemOf, onSubmit, clearProblems } = useSubmit<'email'>({
    fallback: "Couldn't send the link",
    check: () =>
      email.includes('@') ? [] : [{ field: 'email', words: 'Enter your email address' }],
    async work() {
      await onForgotten(email.trim())
      setIsSent(true)
    },
  })
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  return (
    <form className={form.form} noValidate onSubmit={onSubmit}>
      <h1 className={form.heading}>{isSent ? 'Check your mail' : 'Forgot your password?'}</h1>
      <ErrorBox text={error} />
      {isSent ? (
        <p role="status">
          If an account has this address, a link is on its way. It works once, for 30 minutes.
        </p>
      ) : (
        <>
          <p>Enter the email address of your account. You’ll get a link to set a new password.</p>
          <TextField
            label="Email Address"
            name="email"
            type="email"
            autoComplete="email"
            required
            ref={first}
            problem={problemOf('email')}
            value={email}
            onChange={(event) => {
              setEmail(event.target.value)
              clearProblems()
            }}
          />
          <Button type="submit" isBusy={isBusy}>
            {isBusy ? 'Sending…' : 'Send link'}
          </Button>
        </>
      )}
      <button type="button" className={form.link} onClick={onBack}>
        Back to sign-in
      </button>
    </form>
  )
}
