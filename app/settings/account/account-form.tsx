import type { ReactNode } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import styles from './account.module.css'
import { DoneDialog } from './done-dialog.tsx'
import type { AccountFormState } from './use-account-form.ts'

interface AccountFormProps {
  form: AccountFormState
  /** Also the button's label. */
  title: string
  text: string
  done: { title: string; text: string }
  /** The fields. */
  children: ReactNode
  onClose(): void
}

/** A dialog that changes the account, and says so when it is done. */
export function AccountForm({ form, title, text, done, children, onClose }: AccountFormProps) {
  if (form.state === 'done') return <DoneDialog {...done} onClose={onClose} />
  return (
    <Dialog title={title} text={text} onClose={onClose}>
      <form className={styles.form} noValidate onSubmit={form.onSubmit}>
        {form.error && (
          <p className={styles.error} role="alert">
            {form.error}
          </p>
        )}
        {children}
        <div className={styles.buttons}>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={form.state === 'busy'}>
            {form.state === 'busy' ? 'Saving...' : title}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
