import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { DialogField, DialogFoot, DialogForm, DialogProblem } from '../ui/forms/dialog-form.tsx'
import { DialogPassword } from '../ui/forms/dialog-password.tsx'
import { useSubmission } from '../ui/forms/use-submission.ts'
import { productName } from '../ui/product.ts'
import { copyText } from '../ui/text/copy-text.ts'
import styles from './encryption-section.module.css'
import settings from './settings.module.css'
import { SettingsRow } from './settings-row.tsx'

/** The keys that read a person's encrypted messages, on this device. All calls reject with words. */
export interface OwnEncryption {
  /** `none`: no keys yet; `locked`: the account has keys that this device lacks. */
  state: 'none' | 'open' | 'locked'
  /** Made, and not yet kept by the person. */
  recoveryKey: string | undefined
  makeRecoveryKey(typed: { password: string }): Promise<string>
  /** Is the key that waits here the account's newest? Another one leaves this device. */
  checkRecoveryKey(): Promise<boolean>
  /** Resolves with false when it was not the newest. */
  confirmRecoveryKey(): Promise<boolean>
  unlockByPassword(typed: { password: string }): Promise<void>
  unlockByRecoveryKey(typed: { recoveryKey: string; password: string }): Promise<void>
  beginNewKeys(typed: { password: string }): Promise<void>
  saveFile(bytes: Blob, name: string): void
}

/** Has the person keys, here or on another device? Then what they write is sealed. */
export function isSealing(encryption: Pick<OwnEncryption, 'state'> | undefined): boolean {
  return encryption !== undefined && encryption.state !== 'none'
}

const replacedWords =
  'Your account has a newer recovery key: the one that was shown here opens nothing any more. If you do not have the newer one, make another.'

type Opened = 'show' | 'make' | 'password' | 'device' | 'recovery' | 'renew'

/** The recovery key; or, on a device without the keys, the ways to unlock it. */
export function EncryptionSection(props: {
  encryption: OwnEncryption
  /** A code for another device to hand over its keys. */
  unlockCode: ReactNode
}) {
  const { encryption, unlockCode } = props
  const { state, recoveryKey } = encryption
  const [opened, setOpened] = useState<Opened>()
  const [isReplaced, setIsReplaced] = useState(false)
  const { checkRecoveryKey } = encryption
  useEffect(() => {
    if (recoveryKey === undefined) return
    // Without a network it is shown as it is, and confirming it asks again.
    checkRecoveryKey().then(
      (isNewest) => setIsReplaced(!isNewest),
      () => {},
    )
  }, [recoveryKey, checkRecoveryKey])
  const onClose = () => setOpened(undefined)
  return (
    <section aria-labelledby="own-keys">
      <h2 id="own-keys" tabIndex={-1} className={settings.heading}>
        {state === 'locked' ? 'Locked messages' : 'Recovery key'}
      </h2>
      {state === 'none' && (
        <p className={settings.note}>
          Your account gets its keys when you sign in with your password the next time.
        </p>
      )}
      {state === 'locked' && (
        <>
          <p className={settings.note}>
            This device can't read your encrypted messages yet. Nothing is lost: unlock them with
            one of these.
          </p>
          <ul className={settings.list}>
            <li>
              <SettingsRow
                icon="key"
                name="Use your password"
                onClick={() => setOpened('password')}
              >
                Works unless it was reset
              </SettingsRow>
            </li>
            <li>
              <SettingsRow
                icon="lock"
                name="Use your recovery key"
                onClick={() => setOpened('recovery')}
              >
                The 52 letters that you kept
              </SettingsRow>
            </li>
            <li>
              <SettingsRow
                icon="device"
                name="Use another device"
                onClick={() => setOpened('device')}
              >
                One of yours that shows your messages scans a code here
              </SettingsRow>
            </li>
            <li>
              <SettingsRow icon="warning" name="Begin a new key" onClick={() => setOpened('renew')}>
                If you have none of these. Earlier messages stay locked here
              </SettingsRow>
            </li>
          </ul>
        </>
      )}
      <p role="status" className={settings.note}>
        {state === 'open' && isReplaced && replacedWords}
      </p>
      {state === 'open' && (
        <ul className={settings.list}>
          <li>
            {recoveryKey === undefined ? (
              <SettingsRow icon="key" name="New recovery key" onClick={() => setOpened('make')}>
                Replaces the one that you have. Needs your password
              </SettingsRow>
            ) : (
              <SettingsRow
                icon="key"
                name="Keep your recovery key"
                onClick={() => setOpened('show')}
              >
                If you forget your password, only this key opens your messages
              </SettingsRow>
            )}
          </li>
        </ul>
      )}
      {opened === 'show' && recoveryKey !== undefined && (
        <RecoveryKeyDialog
          encryption={encryption}
          recoveryKey={recoveryKey}
          onReplaced={() => setIsReplaced(true)}
          onClose={onClose}
        />
      )}
      {opened === 'make' && (
        <PasswordForm
          title="New recovery key"
          text="The one that you have will no longer open your messages."
          action="Make a key"
          onSubmit={encryption.makeRecoveryKey}
          onDone={() => setOpened('show')}
          onClose={onClose}
        />
      )}
      {opened === 'password' && (
        <PasswordForm
          title="Unlock with your password"
          action="Unlock"
          onSubmit={encryption.unlockByPassword}
          onDone={onClose}
          onClose={onClose}
        />
      )}
      {opened === 'device' && state === 'locked' && (
        <Dialog
          title="Unlock with another device"
          text="On a device that shows your messages, open Settings → Security → Linked devices, choose Link device and scan this code."
          onClose={onClose}
        >
          {unlockCode}
          <DialogFoot>
            <Button look="quiet" onClick={onClose}>
              Cancel
            </Button>
          </DialogFoot>
        </Dialog>
      )}
      {opened === 'recovery' && <RecoveryForm encryption={encryption} onClose={onClose} />}
      {opened === 'renew' && (
        <PasswordForm
          title="Begin a new key"
          text="Your earlier messages stay locked on this device until a recovery key or another device opens them. People you chat with see that your security code changed."
          action="Begin"
          isDanger
          onSubmit={encryption.beginNewKeys}
          onDone={() => setOpened('show')}
          onClose={onClose}
        />
      )}
    </section>
  )
}

function PasswordForm(props: {
  title: string
  text?: string
  action: string
  isDanger?: boolean
  onSubmit(typed: { password: string }): Promise<unknown>
  onDone(): void
  onClose(): void
  children?: ReactNode
}) {
  const { title, text, action, isDanger = false, onSubmit, onDone, onClose, children } = props
  const [password, setPassword] = useState('')
  const { problem, setProblem, isBusy, run } = useSubmission()
  function submit() {
    if (isBusy) return
    if (password === '') return setProblem('Password is required')
    void run(async () => {
      await onSubmit({ password })
      onDone()
    })
  }
  return (
    <Dialog title={title} {...(text !== undefined && { text })} onClose={onClose}>
      <DialogForm
        onSubmit={submit}
        action={isBusy ? 'Working...' : action}
        onLeave={onClose}
        problem={problem}
        isBusy={isBusy}
        isDanger={isDanger}
      >
        {children}
        <DialogPassword
          label="Password"
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  )
}

function RecoveryForm(props: { encryption: OwnEncryption; onClose(): void }) {
  const { encryption, onClose } = props
  const [recoveryKey, setRecoveryKey] = useState('')
  return (
    <PasswordForm
      title="Unlock with your recovery key"
      text="Your present password opens your messages from then on."
      action="Unlock"
      onSubmit={({ password }) => encryption.unlockByRecoveryKey({ recoveryKey, password })}
      onDone={onClose}
      onClose={onClose}
    >
      <DialogField label="Recovery key">
        <textarea
          name="recovery-key"
          rows={3}
          className={styles.typed}
          autoCapitalize="characters"
          autoComplete="off"
          spellCheck={false}
          value={recoveryKey}
          onChange={(event) => setRecoveryKey(event.target.value)}
        />
      </DialogField>
    </PasswordForm>
  )
}

function RecoveryKeyDialog(props: {
  encryption: OwnEncryption
  recoveryKey: string
  onReplaced(): void
  onClose(): void
}) {
  const { encryption, recoveryKey, onReplaced, onClose } = props
  const [words, setWords] = useState('')
  const { problem, isBusy, run } = useSubmission()
  const copy = async () => {
    setWords((await copyText(recoveryKey)) ? 'Recovery key copied' : "Couldn't copy it")
  }
  return (
    <Dialog
      title="Your recovery key"
      text="Keep it where only you find it, such as on paper. If you forget your password, only this key or another device of yours opens your messages. Nobody can send it to you again."
      onClose={onClose}
    >
      <p className={styles.key} translate="no">
        {recoveryKey}
      </p>
      <p role="status" className={settings.note}>
        {words}
      </p>
      <div className={styles.ways}>
        <Button look="quiet" onClick={() => void copy()}>
          Copy
        </Button>
        <Button look="quiet" onClick={() => printKey(recoveryKey)}>
          Print
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            const text = `${describeKey()}\n\n${recoveryKey}\n`
            encryption.saveFile(new Blob([text], { type: 'text/plain' }), 'petrel-recovery-key.txt')
            setWords('Recovery key saved')
          }}
        >
          Save
        </Button>
      </div>
      {problem && <DialogProblem>{problem}</DialogProblem>}
      <DialogFoot>
        <Button look="quiet" onClick={onClose}>
          Later
        </Button>
        <Button
          isBusy={isBusy}
          onClick={() =>
            void run(async () => {
              if (!(await encryption.confirmRecoveryKey())) onReplaced()
              onClose()
            })
          }
        >
          I have kept it
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function describeKey(): string {
  return `${productName} recovery key for ${location.host}`
}

/** On a page of its own: the key alone goes to the printer. */
function printKey(recoveryKey: string) {
  const paper = open('', '_blank', 'width=480,height=320')
  if (!paper) return
  const { document: sheet } = paper
  sheet.title = describeKey()
  for (const text of [describeKey(), recoveryKey]) {
    sheet.body.append(Object.assign(sheet.createElement('p'), { textContent: text }))
  }
  paper.print()
  paper.close()
}
