import type { ComponentProps, ReactNode } from 'react'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { DialogField, DialogForm } from '../../ui/forms/dialog-form.tsx'
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
  if (form.isDone) return <DoneDialog {...done} onClose={onClose} />
  return (
    <Dialog title={title} text={text} onClose={onClose}>
      <DialogForm
        onSubmit={form.submit}
        action={form.isBusy ? 'Saving...' : title}
        onLeave={onClose}
        problem={form.problem}
        isBusy={form.isBusy}
      >
        {children}
      </DialogForm>
    </Dialog>
  )
}

interface FieldProps extends ComponentProps<'input'> {
  label: string
}

export function AccountField({ label, ...input }: FieldProps) {
  return (
    <DialogField label={label}>
      <input {...input} autoCapitalize="none" spellCheck={false} />
    </DialogField>
  )
}
