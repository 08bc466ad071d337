import type { ReactNode } from 'react'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { DialogFoot } from '../../ui/forms/dialog-form.tsx'

interface DoneDialogProps {
  title: string
  text: string
  /** More words. */
  children?: ReactNode
  /** Beside 'Done'. */
  more?: ReactNode
  onClose(): void
}

/** Says what was done. */
export function DoneDialog({ title, text, children, more, onClose }: DoneDialogProps) {
  return (
    <Dialog title={title} text={text} onClose={onClose}>
      {children}
      <DialogFoot>
        {more}
        <Button onClick={onClose}>Done</Button>
      </DialogFoot>
    </Dialog>
  )
}
